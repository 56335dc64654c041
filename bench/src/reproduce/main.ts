/** `npm run reproduce`: holds the simulator against what the HiveMind paper states; writes docs/reproduction.md. */
import { writeFileSync } from 'node:fs'
import { reproduction } from './report.ts'

const { page, tally } = await reproduction(({ verdict, where, statement, theirs, ours }) =>
  console.log(`${verdict.padEnd(7)} ${where}: ${statement}\n        ${theirs} | ${ours}`),
)
writeFileSync(new URL('../../../docs/reproduction.md', import.meta.url), page)
console.log(`\n${tally}; written to docs/reproduction.md`)
