import { expect, test } from 'vitest'
import { rank } from './rank.ts'

const first = (entries: string[], typed: string): string | undefined =>
  entries
    .map((entry) => ({ entry, fit: rank(entry, typed) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit)[0]?.entry

test('entries with the very words come first, then their beginnings, then letters in order', () => {
  const entries = [
    'Edit Undelete a thing',
    'View Find everything',
    'Go to Find …',
    'Edit Fix in detail',
    'Edit Delete',
  ]
  expect(first(entries, 'find')).toMatch(/Find/)
  expect(first(entries, 'delete')).toBe('Edit Delete')
  expect(first(entries, 'del')).toBe('Edit Delete')
  expect(first(entries, 'go find')).toBe('Go to Find …')
  expect(first(['Edit Redo', 'go to task redoAll'], 'redo')).toBe('Edit Redo')
  expect(first(['Edit Fix in detail', 'View Help'], 'fid')).toBe('Edit Fix in detail')
  expect(rank('View Help', 'xyz')).toBe(0)
})
