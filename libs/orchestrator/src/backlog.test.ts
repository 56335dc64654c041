import { expect, test } from 'vitest'
import { Backlog } from './backlog.ts'
import type { RunState } from './core/state.ts'

const state = (): { queue: unknown[]; blocked: Map<number, unknown[]>; phase: string } => ({
  ...{ queue: [], blocked: new Map(), phase: 'running' },
})

test('devices are held back while too many invocations wait, and go on one for one, the longest held first', async () => {
  const of = state()
  const backlog = new Backlog(of as unknown as RunState, 3)
  of.queue.push(1, 2)
  of.blocked.set(0, [3])
  expect(backlog.whenRoom()).toBe(undefined)
  of.queue.push(4)
  const gone: string[] = []
  for (const name of ['a', 'b', 'c']) void backlog.whenRoom()?.then(() => gone.push(name))
  backlog.changed()
  of.blocked.set(0, [])
  backlog.changed()
  await Promise.resolve()
  expect(gone).toEqual([])
  of.queue.length = 2
  backlog.changed()
  await Promise.resolve()
  expect(gone).toEqual(['a'])
  of.queue.length = 1
  backlog.changed()
  await Promise.resolve()
  expect(gone).toEqual(['a', 'b', 'c'])
})

test('nobody is held back when nothing waits any more', async () => {
  const of = state()
  const backlog = new Backlog(of as unknown as RunState, 1)
  of.queue.push(1, 2)
  const held = [1, 2, 3].map(() => backlog.whenRoom())
  of.queue.length = 0
  backlog.changed()
  await Promise.all(held)
})

test('nobody is held back by a run that has ended', async () => {
  const of = state()
  const backlog = new Backlog(of as unknown as RunState, 0)
  of.queue.push(1)
  const held = backlog.whenRoom()
  expect(held).toBeInstanceOf(Promise)
  of.phase = 'ended'
  backlog.changed()
  await held
  expect(backlog.whenRoom()).toBe(undefined)
})
