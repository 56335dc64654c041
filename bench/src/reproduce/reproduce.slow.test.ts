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

/** The cells of a row of the page by its name; `undefined` for a row that is struck. */
function cellsOf(page: string, id: string): string[] | undefined {
  const line = page.split('\n').find((each) => each.startsWith(`| ${id} `))
  return line?.split('|').map((cell) => cell.trim())
}

test('each row of docs/reproduction.md, and each figure, is what the simulator says', {
  timeout: 600_000,
}, async () => {
  const page = read('reproduction.md')
  const known: Known = new Map()
  const sets = []
  for (const set of inputSets().slice(0, 2)) sets.push(await rowsOf(set, known))
  const [shipped, middle] = sets
  for (const [index, { id, statement, rule }] of STATEMENTS.entries()) {
    const row = shipped?.rows[index]
    const cells = cellsOf(page, id)
    if (cells)
      expect(cells.slice(5, 9), id).toEqual([
        rule.text,
        row?.ours,
        row?.verdict,
        middle?.rows[index]?.verdict,
      ])
    else {
      const struck = page.split('\n').filter((line) => line.includes(`| ${statement} `))
      expect(struck.join('\n'), id).toContain(`| ${row?.ours}`)
      expect([row?.verdict, middle?.rows[index]?.verdict], id).toEqual(['met', 'met'])
    }
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
