import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pageOf } from './report.ts'
import { inputSets, rowsOfAll } from './sets.ts'

const docs = new URL('../../../docs/', import.meta.url)

test('docs/reproduction.md and its figures are what the simulator says', { timeout: 1_800_000 }, async () => {
  const { page, figures } = await pageOf(await rowsOfAll(inputSets(), () => {}))
  expect(readFileSync(new URL('reproduction.md', docs), 'utf8')).toBe(page)
  for (const [name, svg] of Object.entries(figures))
    expect(readFileSync(new URL(`reproduction/${name}`, docs), 'utf8')).toBe(svg)
})
