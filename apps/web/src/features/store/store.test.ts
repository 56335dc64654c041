import { describe, expect, test } from 'vitest'
import type { StoreObject, StorePool } from '../../api/types.ts'
import {
  applyChange,
  isoOf,
  mediaType,
  nameIn,
  pathProblem,
  retentionText,
  textOf,
  writeRate,
} from './objects.ts'

const object = (key: string, version: number, more: Partial<StoreObject> = {}): StoreObject => ({
  key,
  version,
  timestamp: version,
  previousVersion: version - 1,
  previousKeyVersion: 0,
  ordinal: 1,
  removed: false,
  type: 'text/plain',
  size: 1,
  ...more,
})

describe('a change', () => {
  const objects = [object('/p/a', 1), object('/p/c', 2)]
  const after = (change: StoreObject) =>
    applyChange(objects, change).map(({ key, version }) => `${key} ${version}`)
  test('adds an object in the order of keys, or replaces an older version', () => {
    expect(after(object('/p/b', 3))).toEqual(['/p/a 1', '/p/b 3', '/p/c 2'])
    expect(after(object('/p/d', 3))).toEqual(['/p/a 1', '/p/c 2', '/p/d 3'])
    expect(after(object('/p/c', 3))).toEqual(['/p/a 1', '/p/c 3'])
  })
  test('takes a removed object away', () => {
    expect(after(object('/p/a', 3, { removed: true }))).toEqual(['/p/c 2'])
    expect(after(object('/p/b', 3, { removed: true }))).toEqual(['/p/a 1', '/p/c 2'])
  })
  test('that is older than what is known changes nothing', () => {
    expect(applyChange(objects, object('/p/c', 2))).toBe(objects)
    expect(applyChange(objects, object('/p/c', 1, { removed: true }))).toBe(objects)
  })
})

test('the rate counts the writes of the last seconds', () => {
  expect(writeRate([], 20_000)).toBe(0)
  expect(writeRate([9_000, 10_001, 15_000, 20_000], 20_000)).toBeCloseTo(0.3)
})

test('a pool says what it keeps', () => {
  const pool = (more: Partial<StorePool>): StorePool => ({
    path: '/p',
    persistence: 'persistent',
    retention: {},
    created: 0,
    ofRun: false,
    ...more,
  })
  expect(retentionText(pool({}))).toBe('keeps all versions')
  expect(retentionText(pool({ retention: { versions: 1 } }))).toBe('keeps the latest version')
  expect(retentionText(pool({ retention: { versions: 5, ageMs: 1500 } }))).toBe(
    'keeps 5 versions, older versions for 1.5 s',
  )
  expect(retentionText(pool({ persistence: 'transient' }))).toContain('not kept')
})

test('names, paths, types, times and text', () => {
  expect(nameIn('/p', '/p/a/b')).toBe('a/b')
  expect(nameIn('/p', '/p')).toBe('/p')
  expect([pathProblem('/a/b'), pathProblem('')]).toEqual([undefined, undefined])
  expect(pathProblem('a')).toContain('begin')
  expect(pathProblem('/a/')).toContain('end')
  expect(pathProblem('/a//b')).toContain('empty')
  expect([mediaType('a.png', 'image/png'), mediaType('a.JSON', ''), mediaType('a', '')]).toEqual([
    'image/png',
    'application/json',
    'application/octet-stream',
  ])
  expect(isoOf(1_700_000_000_123_456)).toBe('2023-11-14T22:13:20.123Z')
  expect(textOf(Buffer.from('ä€').toString('base64'))).toBe('ä€')
})
