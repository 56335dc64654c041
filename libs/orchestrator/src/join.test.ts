import { expect, test } from 'vitest'
import { Join } from './join.ts'

test('one parent: every item at once, repetitions dropped', () => {
  const join = new Join(['a'])
  expect(join.offer('a', 0, 'x')).toBe(true)
  expect(join.take()).toEqual([{ seq: 0, parts: { a: 'x' } }])
  expect(join.offer('a', 0, 'again')).toBe(false)
  join.offer('a', 3, 'y')
  expect(join.take()).toEqual([{ seq: 3, parts: { a: 'y' } }])
})

test('two streams meet by number, in whatever order they come; a gap stays a gap', () => {
  const join = new Join(['a', 'b'])
  join.offer('a', 1, 'a1')
  join.offer('b', 0, 'b0')
  expect(join.take()).toEqual([])
  join.offer('b', 1, 'b1')
  join.offer('b', 2, 'b2')
  expect(join.take()).toEqual([{ seq: 1, parts: { a: 'a1', b: 'b1' } }])
  join.end('a')
  join.end('b')
  expect(join.ended).toBe(true)
  expect(join.take()).toEqual([])
})

test('an object goes with every item, also with those that came before it was known to be one', () => {
  const join = new Join(['map', 'frames'])
  join.offer('map', 0, 'm')
  join.offer('frames', 0, 'f0')
  join.offer('frames', 1, 'f1')
  expect(join.take()).toEqual([{ seq: 0, parts: { map: 'm', frames: 'f0' } }])
  expect(join.shape).toBeUndefined()
  join.setShape('frames', 'stream')
  join.setShape('map', 'object')
  expect(join.take()).toEqual([{ seq: 1, parts: { map: 'm', frames: 'f1' } }])
  join.offer('frames', 7, 'f7')
  expect(join.take()).toEqual([{ seq: 7, parts: { map: 'm', frames: 'f7' } }])
  expect(join.shape).toBe('stream')
})
