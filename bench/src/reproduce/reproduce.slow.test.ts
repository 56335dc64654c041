import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { reproduction } from './report.ts'

test('docs/reproduction.md is what the simulator says', { timeout: 600_000 }, async () => {
  const { page } = await reproduction(() => {})
  expect(readFileSync(new URL('../../../docs/reproduction.md', import.meta.url), 'utf8')).toBe(page)
})
