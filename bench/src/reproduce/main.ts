/** `npm run reproduce`: holds the simulator against what the HiveMind paper states; writes docs/reproduction.md and its figures. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { pageOf } from './report.ts'
import { inputSets, rowsOfAll } from './sets.ts'
import { STATEMENTS } from './statements/index.ts'

const docs = new URL('../../../docs/', import.meta.url)
const sets = inputSets()
let done = 0
const results = await rowsOfAll(sets, ({ name, rows }) => {
  console.log(`${++done} of ${sets.length} sets of inputs (${name})`)
  if (name !== 'shipped') return
  for (const [index, { verdict, ours }] of rows.entries())
    console.log(
      `${verdict.padEnd(7)} ${STATEMENTS[index]?.where}: ${STATEMENTS[index]?.statement}\n        ${ours}`,
    )
})
const { page, figures, tally } = await pageOf(results)
mkdirSync(new URL('reproduction/', docs), { recursive: true })
writeFileSync(new URL('reproduction.md', docs), page)
for (const [name, svg] of Object.entries(figures)) writeFileSync(new URL(`reproduction/${name}`, docs), svg)
console.log(`\n${tally}; written to docs/reproduction.md`)
