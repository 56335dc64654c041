import { expect, test } from 'vitest'
import type { Grant } from '../../../api/types.ts'
import { expiryOf, grantsComplete, nameProblem, reachText } from './accessKeys.ts'

test('a name is short, plain and not taken', () => {
  expect(['', 'camera-7', '7'].map((name) => nameProblem(name, []))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  for (const name of ['Camera', 'a b', '-a', 'a'.repeat(41)])
    expect(nameProblem(name, [])).toContain('small letters')
  expect(nameProblem('camera', [{ name: 'camera' }])).toContain('already')
})

test('a key has at least one prefix, and all of them are paths', () => {
  const grants = (...prefixes: string[]): Grant[] => prefixes.map((prefix) => ({ prefix, access: 'read' }))
  expect(grantsComplete(grants('/factory', '/other/7'))).toBe(true)
  for (const wrong of [[], [''], ['/factory', ''], ['factory'], ['/factory/'], [`/${'x'.repeat(1024)}`]])
    expect([wrong, grantsComplete(grants(...wrong))]).toEqual([wrong, false])
})

test('a key expires so many days from now, or never', () => {
  const now = Date.parse('2026-01-31T12:00:00Z')
  expect(expiryOf('never', now)).toBeUndefined()
  expect(expiryOf('month', now)).toBe('2026-03-02T12:00:00.000Z')
})

test('a pool says which keys reach it, and which part of it', () => {
  expect(reachText({ path: '/p', accessKeys: [] })).toBeUndefined()
  expect(reachText({ path: '/p' })).toBeUndefined()
  const accessKeys = [
    { name: 'all', prefix: '/p', access: 'read' as const },
    { name: 'part', prefix: '/p/a/b', access: 'read-write' as const },
  ]
  expect(reachText({ path: '/p', accessKeys })).toBe('access keys: all (read), part (read and write a/b)')
})
