import { expect, test } from 'vitest'
import type { Grant } from '../database/tables.ts'
import { demand, may, reaches, reachIn, readablePrefixes } from './access.ts'
import type { KeyHolder, Person } from './principal.ts'

const holder = (...grants: Grant[]): KeyHolder => ({
  name: 'camera',
  how: 'key',
  grants,
  ended: new AbortController().signal,
})
const owner: Person = { name: 'owner', how: 'session' }
const camera = holder(
  { prefix: '/factory/images', access: 'read' },
  { prefix: '/factory/results/camera', access: 'read-write' },
)

test('a prefix holds its own path and whole components below it', () => {
  for (const path of ['/factory/images', '/factory/images/7', '/factory/images/7/deep'])
    expect([path, may(camera, 'read', path)]).toEqual([path, true])
  for (const path of ['/factory', '/factory/images2', '/factory/image', '/', '', '/factory/results'])
    expect([path, may(camera, 'read', path)]).toEqual([path, false])
})

test('the right to write is that of its own prefix', () => {
  expect(may(camera, 'write', '/factory/results/camera/1')).toBe(true)
  expect(may(camera, 'read', '/factory/results/camera/1')).toBe(true)
  expect(may(camera, 'write', '/factory/images/7')).toBe(false)
  expect(may(holder(), 'read', '/factory')).toBe(false)
})

test('a refusal names the key, the path, the right that is missing and what the key may do', () => {
  expect(() => demand(camera, 'write', '/factory/images/7', 'key')).toThrow(
    "Access key 'camera' may not write '/factory/images/7': it may read '/factory/images', read and write '/factory/results/camera'.",
  )
  const many = holder(...Array.from({ length: 8 }, (_, n): Grant => ({ prefix: `/p${n}`, access: 'read' })))
  expect(() => demand(many, 'read', '/q', 'key')).toThrow("read '/p4', 3 more.")
  expect(() => demand(camera, 'read', '/factory/images/7', 'key')).not.toThrow()
})

test('people may do everything', () => {
  expect([may(owner, 'write', '/any'), reaches(owner, '/any')]).toEqual([true, true])
  expect(readablePrefixes(owner, '/any')).toEqual(['/any'])
  expect(() => demand(owner, 'write', '/any', 'key')).not.toThrow()
})

test('what is around a prefix is reached, and of it the parts below can be read', () => {
  expect(['/factory', '/factory/results', '/factory/images/7'].map((path) => reaches(camera, path))).toEqual([
    true,
    true,
    true,
  ])
  expect(['/fact', '/factory/results/other'].map((path) => reaches(camera, path))).toEqual([false, false])
  expect(readablePrefixes(camera, '/factory/results')).toEqual(['/factory/results/camera'])
  expect(readablePrefixes(camera, '/factory/images/7')).toEqual(['/factory/images/7'])
  expect(readablePrefixes(camera, '/other')).toEqual([])
  const nested = holder(
    { prefix: '/p/a/b', access: 'read-write' },
    { prefix: '/p/a', access: 'read' },
    { prefix: '/p/a', access: 'read-write' },
    { prefix: '/p/c', access: 'read' },
  )
  expect(readablePrefixes(nested, '/p')).toEqual(['/p/a', '/p/c'])
})

test('the part of a pool that grants reach', () => {
  expect(reachIn(camera.grants, '/factory/results')).toEqual([
    { prefix: '/factory/results/camera', access: 'read-write' },
  ])
  expect(reachIn([{ prefix: '/factory', access: 'read' }], '/factory/results')).toEqual([
    { prefix: '/factory/results', access: 'read' },
  ])
  expect(reachIn(camera.grants, '/fact')).toEqual([])
})
