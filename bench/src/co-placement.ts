/** A chain of functions on this machine: in a container of all, where each hands its item to the next, against one of each. */
import { localTarget } from '@hivemind/deploy'
import { chainProject, chainsInTurn, timesRow } from './function-chain.ts'
import type { Bench, Row } from './table.ts'

const RUNS = 200
const WARM_UP_RUNS = 50
/** What each function adds to its item, in bytes. */
const SIZES = [
  { text: 'a few bytes', fill: 0 },
  { text: '1 MB', fill: 1_000_000 },
]

async function measure({ text, fill }: (typeof SIZES)[number]): Promise<Row[]> {
  const target = localTarget()
  const project = await chainProject(fill)
  try {
    const took = await chainsInTurn(
      {
        together: await target.apply(project.spec('together', 'co-placed')),
        apart: await target.apply(project.spec('apart', 'store')),
      },
      RUNS,
      WARM_UP_RUNS,
    )
    return [
      timesRow(`in one container, items of ${text}`, took.together, took.together),
      timesRow(`through the service, items of ${text}`, took.apart, took.together),
    ]
  } finally {
    await target.close()
    project.remove()
  }
}

/** Hand-over in a container against hand-over through the service, as runs show it. */
export const coPlacement: Bench = {
  name: 'co-placement',
  title: `a chain of 5 functions that add one, on this machine, in ${RUNS} runs in turns`,
  async run() {
    const rows: Row[] = []
    for (const size of SIZES) rows.push(...(await measure(size)))
    return rows
  },
}
