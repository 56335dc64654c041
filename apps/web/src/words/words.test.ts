import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { words } from './words.ts'

const src = path.join(import.meta.dirname, '..')
const docs = readFileSync(path.join(src, '../../../docs/words.md'), 'utf8')
const screens = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.test|\.d)\.tsx?$/.test(file) && !file.startsWith('words'))
  .map((file) => readFileSync(path.join(src, file), 'utf8'))
  .join('\n')

test.each(Object.entries(words))('%s is explained on a screen', (id) => {
  const uses = [`of="${id}"`, `term="${id}"`, `term: '${id}'`, `? '${id}' :`, `: '${id}'}`]
  expect(uses.some((use) => screens.includes(use))).toBe(true)
})

test('docs/words.md says what the screens say, and nothing else', () => {
  const rows = Object.values(words)
    .toSorted((a, b) => a.term.localeCompare(b.term, 'en'))
    .map(({ term, says }) => `| ${term} | ${says} |`)
  expect(
    docs
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(1),
  ).toEqual(['| --- | --- |', ...rows])
})

test('words that said nothing to those who met them are gone from the screens', () => {
  for (const word of [
    'Hand-over',
    'Management',
    'Mgmt',
    'Items per device',
    "'Seed'",
    'by formula',
    'As its data says',
    'queue and management',
    'hand-over of values',
  ])
    expect(screens.includes(word), word).toBe(false)
})
