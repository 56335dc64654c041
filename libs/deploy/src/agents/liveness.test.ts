import { expect, test } from 'vitest'
import { Liveness } from './liveness.ts'

function watched() {
  const lost: string[] = []
  let now = 0
  const liveness = new Liveness({ onLost: (device) => lost.push(device), now: () => now })
  /** Lets time pass in steps of 500 ms; `beats` are the devices that give a sign in each. */
  const pass = (ms: number, ...beats: string[]): void => {
    for (const end = now + ms; now < end; ) {
      now += 500
      for (const device of beats) liveness.beat(device)
      liveness.check()
    }
  }
  const jump = (ms: number): void => {
    now += ms
  }
  return { liveness, lost, pass, jump }
}

test('who is silent for more than 3 s is lost, once, until the next sign of life', () => {
  const { liveness, lost, pass } = watched()
  pass(500, 'a', 'b')
  pass(3_000, 'a')
  expect(lost).toEqual([])
  pass(500, 'a')
  expect(lost).toEqual(['b'])
  pass(5_000, 'a')
  expect(lost).toEqual(['b'])
  pass(500, 'a', 'b')
  expect(liveness.watches('b')).toBe(true)
  pass(4_000, 'a')
  expect(lost).toEqual(['b', 'b'])
})

test('silence proves nothing when this process was held up', () => {
  const { liveness, lost, pass, jump } = watched()
  pass(500, 'a')
  jump(20_000)
  liveness.check()
  expect(lost).toEqual([])
  pass(3_000)
  expect(lost).toEqual([])
  pass(1_000)
  expect(lost).toEqual(['a'])
})

test('while no message can arrive nobody is lost, and afterwards there is a grace', () => {
  const { liveness, lost, pass } = watched()
  pass(500, 'a', 'b')
  liveness.pause()
  pass(10_000)
  liveness.resume(3_000)
  pass(5_500)
  liveness.beat('a')
  expect(lost).toEqual([])
  pass(1_000)
  expect(lost).toEqual(['b'])
  liveness.forget('a')
  pass(10_000)
  expect(lost).toEqual(['b'])
})
