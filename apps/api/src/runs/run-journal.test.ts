import type { RunEvent } from '@hivemind/orchestrator'
import { expect, test } from 'vitest'
import { type Batch, RunJournal } from './run-journal.ts'

const line = (n: number): RunEvent => ({
  type: 'log',
  at: n,
  line: { at: n, level: 'info', source: 'run', text: String(n) },
})
const progress = (task: string, done: number): RunEvent => ({
  type: 'task',
  at: done,
  task: { task, tier: 'edge', state: 'running', started: done, done, failed: 0 },
})

test('of the states of a task only the last is kept, in the order of ids', async () => {
  const batches: Batch[] = []
  const journal = new RunJournal('r', async (batch) => void batches.push(batch))
  for (let n = 1; n <= 100; n += 1) journal.add(2 * n, progress('a', n))
  journal.add(201, line(1))
  journal.add(202, progress('b', 1))
  await journal.close()
  expect(batches.flatMap(({ events }) => events)).toEqual([
    { id: 200, event: progress('a', 100) },
    { id: 201, event: line(1) },
    { id: 202, event: progress('b', 1) },
  ])
})

test('while the database is slow there is no room, and batches stay small', async () => {
  const sizes: number[] = []
  let written = (): void => {}
  const journal = new RunJournal('r', async ({ events }) => {
    sizes.push(events.length)
    await new Promise<void>((resolve) => {
      written = resolve
    })
  })
  let id = 0
  while (journal.whenRoom() === undefined && id < 100_000) journal.add(++id, line(id))
  expect(id).toBeLessThan(30_000)
  let hasRoom = false
  void journal.whenRoom()?.then(() => {
    hasRoom = true
  })
  const closed = journal.close()
  let isClosed = false
  void closed.then(() => {
    isClosed = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasRoom).toBe(false)
  while (!isClosed) {
    written()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(hasRoom).toBe(true)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(id)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000)
})

test('a batch that cannot be written is written later, once', async () => {
  const kept: number[] = []
  let fails = 1
  const journal = new RunJournal('r', async ({ events }) => {
    if (fails-- > 0) throw new Error('no disk')
    kept.push(...events.map(({ id }) => id))
  })
  journal.add(1, line(1))
  journal.add(2, progress('a', 1))
  await journal.flush()
  expect(kept).toEqual([])
  journal.add(3, progress('a', 2))
  await journal.close()
  expect(kept).toEqual([1, 3])
})

test('closing says when something could not be written, and may be tried again', async () => {
  const kept: number[] = []
  let fails = 1
  const journal = new RunJournal('r', async ({ events }) => {
    if (fails-- > 0) throw new Error('no disk')
    kept.push(...events.map(({ id }) => id))
  })
  journal.add(1, line(1))
  await expect(journal.close()).rejects.toThrow('no disk')
  await journal.close()
  expect(kept).toEqual([1])
})
