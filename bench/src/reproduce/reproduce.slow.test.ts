import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { figuresOf } from './figures.ts'
import { SHIPPED } from './parameters.ts'
import { pageOf } from './report.ts'
import { inputSets, rowsOf, rowsOfAll } from './sets.ts'
import { STATEMENTS } from './statements/index.ts'
import { type Known, study } from './systems.ts'

const docs = new URL('../../../docs/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, docs), 'utf8')

/** The cells of a row of the page by its name. */
function cellsOf(page: string, id: string): string[] {
  const line = page.split('\n').find((each) => each.startsWith(`| ${id} `))
  return (line ?? '').split('|').map((cell) => cell.trim())
}

test('each row of docs/reproduction.md, and each figure, is what the simulator says', {
  timeout: 600_000,
}, async () => {
  const page = read('reproduction.md')
  const known: Known = new Map()
  const sets = []
  for (const set of inputSets().slice(0, 2)) sets.push(await rowsOf(set, known))
  const [shipped, middle] = sets
  for (const [index, { id, rule }] of STATEMENTS.entries()) {
    const row = shipped?.rows[index]
    const verdicts = [row?.verdict, middle?.rows[index]?.verdict]
    const [, , , , theirsOrRule, ...cells] = cellsOf(page, id)
    // A struck row, which is met whatever the inputs are, has neither the paper's figure nor verdicts.
    const isStruck = theirsOrRule === rule.text
    expect(isStruck ? [rule.text, ...cells.slice(0, 1), 'met', 'met'] : cells.slice(0, 4), id).toEqual([
      rule.text,
      row?.ours,
      ...verdicts,
    ])
  }
  for (const [name, svg] of Object.entries(await figuresOf(study(SHIPPED, known))))
    expect(read(`reproduction/${name}`), name).toBe(svg)
})

test.runIf(process.env.HIVEMIND_SOAK === '1')(
  'with every set of inputs, the page is written again byte for byte',
  { timeout: 3_600_000 },
  async () => {
    const { page } = await pageOf(await rowsOfAll(inputSets(), () => {}))
    expect(read('reproduction.md')).toBe(page)
  },
)
