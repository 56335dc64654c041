import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Locks } from '../src/objects/locks.ts'

it('ends a lock after the operation inside it, and only then refuses later ones and lets others in', async () => {
  const locks = new Locks()
  const order: string[] = []
  await locks.lock('token', ['a', 'b'])
  const inside = locks.runInside('token', ['a'], async () => {
    await sleep(20)
    order.push('inside')
  })
  locks.unlock('token')
  const late = locks.runInside('token', ['a'], () => {}).catch((error: Error) => order.push(error.message))
  const other = locks.run(['b'], () => order.push('other'))
  await Promise.all([inside, late, other])
  expect(order[0]).toBe('inside')
  expect(order.slice(1).toSorted()).toEqual([expect.stringContaining('The lock is over'), 'other'])
})

it('gives locks of several objects in their order, without waiting for each other', async () => {
  const locks = new Locks()
  await locks.lock('1', ['a', 'b'])
  const second = locks.lock('2', ['b', 'a'])
  const third = locks.lock('3', ['a'])
  const granted: string[] = []
  void second.then(() => granted.push('2'))
  void third.then(() => granted.push('3'))
  await sleep(5)
  expect(granted).toEqual([])
  locks.unlock('1')
  await second
  locks.unlock('2')
  await third
  expect(granted).toEqual(['2', '3'])
})
