/** The page that holds the simulator against what the HiveMind paper states. */
import { type Inputs, MIDDLE, QUANTITIES, type Quantity, SHIPPED } from './parameters.ts'
import type { Row } from './rows.ts'
import { JOB_TABLE } from './scenarios.ts'
import { STATEMENTS } from './statements.ts'
import { study } from './systems.ts'

const table = (head: string[], lines: string[][]) => {
  const width = head.map((_, column) =>
    Math.max(3, ...[head, ...lines].map((line) => line[column]?.length ?? 0)),
  )
  const row = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(width[column] ?? 0)).join(' | ')} |`
  return [row(head), row(width.map((each) => '-'.repeat(each))), ...lines.map(row)].join('\n')
}

async function rowsWith(inputs: Inputs, tell: (row: Row) => void = () => {}): Promise<Row[]> {
  const experiments = study(inputs)
  const rows: Row[] = []
  for (const statement of STATEMENTS)
    for (const row of await statement(experiments)) {
      rows.push(row)
      tell(row)
    }
  return rows
}

function tallyOf(rows: readonly Row[]): string {
  const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length
  return `${count('met')} met, ${count('partly')} partly, ${count('missed')} missed, of ${rows.length}`
}

const inputLine = ({ what, unit, value, range, from }: Quantity) => [
  what,
  unit,
  `${value}`,
  range ? `${range[0]} to ${range[1]}` : '',
  from,
]

/** Simulates every statement, tells each as it is done, and returns the page (Markdown) and how many rows agree. */
export async function reproduction(tell: (row: Row) => void): Promise<{ page: string; tally: string }> {
  const rows = await rowsWith(SHIPPED, tell)
  const middle = await rowsWith(MIDDLE)
  const tally = `${tallyOf(rows)}; with the middle of every range ${tallyOf(middle)}`
  const page = `# What the paper states, and what the simulator says

Written by \`npm run reproduce\`; do not edit. Every row is simulated with the one set of inputs below and seed 1: the
[fleets](fleets.md) as they ship, and the work of the jobs. No input is fitted to the paper's results. Where we differ, the row
says so. What makes a row met was written before its number.
The two rows of 5.1 are an exception: their rule was made narrower after their numbers were seen, which made them missed; by the
one before (40 to 80 % on average, 2 to 4 times at most) both were partly met.

**${tally}.**

The last column is the verdict when every input that has a range is in the middle of it. Where it differs, the verdict hangs on
a figure that the paper does not give.

${table(
  ['where', 'statement', 'theirs', 'met when', 'ours', 'verdict', 'middle'],
  rows.map(({ where, statement, theirs, ours, rule, verdict, remark }, index) => [
    where,
    remark ? `${statement} (${remark})` : statement,
    theirs,
    rule,
    ours,
    verdict,
    middle[index]?.verdict ?? '',
  ]),
)}

Not simulated, hence without a row: accuracy under retraining (5.4, Fig. 15) and intra-task parallelism (3.2, Fig. 5a).
HiveMind is the placement of the least p99 latency that the exploration finds.

## Inputs

12 servers of 40 cores, two routers, 16 drones with 11.1 Wh each, and 14 cars are those of the fleets (paper, 2.1 and 5.5;
AR.Drone data sheet).

${table(['input', 'unit', 'value', 'range', 'from'], Object.values<Quantity>(QUANTITIES).map(inputLine))}

A call between a device and a server has two ends in software. Each takes half of a call between two servers, at the speed of
its core. HiveMind's fabric takes over the server's end; drones and cars have no fabric, so theirs stays.

The ten jobs, with the time of one item on a core of a server, its size and rate (assumptions):

${JOB_TABLE.map((line) => `- ${line}`).join('\n')}
`
  return { page, tally }
}
