/** What an item of 100 kB costs on its way from a device to a function and to the outputs of the run. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { own } from './peers.ts'
import type { Bench, Row } from './table.ts'

/** What starting and ending takes is in both counts, so that it is not in their difference. */
const [FEW, MANY] = [300, 2_300] as const
const ROUNDS = 3
const TICKS_PER_S = 100

/** CPU of all processes that this one started, and they, and that have ended; in s, from Linux. */
function cpuOfEnded(): number {
  const text = readFileSync('/proc/self/stat', 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S
}

/** CPU of a whole `hivemind run` of so many items by the checkout in `root`, in s. */
function cpuOfRun(root: string, items: number): number {
  const before = cpuOfEnded()
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      path.join(root, 'apps/cli/bin/hivemind.mjs'),
      ...['run', own('peers/item-path'), '--placement', 'sense=edge,look=cloud'],
      ...['--agents', '1', '--items', String(items), '--quiet'],
    ],
    // What a sandbox has used is not counted with its parent, so task code runs as plain processes.
    { encoding: 'utf8', maxBuffer: 1e8, env: { ...process.env, HIVEMIND_SANDBOX: 'off' } },
  )
  const outputs = stdout.split('\n').filter((line) => line.startsWith('seen of ')).length
  if (status !== 0 || outputs !== items)
    throw new Error(`${root}: ${outputs} of ${items} items arrived. ${stderr.trim()}`)
  return cpuOfEnded() - before
}

const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] as number

/** Linux only. `BENCH_BASELINE` names another checkout, which is measured in turn with this one. */
export const itemPath: Bench = {
  name: 'item-path',
  title: `an item of 100 kB from an edge task to a cloud function to an output, by 'hivemind run' of ${FEW} and of ${MANY} items; CPU of all processes, medians of ${ROUNDS}`,
  async run() {
    const baseline = process.env.BENCH_BASELINE
    const roots = [own('..'), ...(baseline === undefined ? [] : [baseline])]
    const runs = roots.map((root) => ({ root, few: [] as number[], many: [] as number[] }))
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { root, few } of runs) few.push(cpuOfRun(root, FEW))
      for (const { root, many } of runs) many.push(cpuOfRun(root, MANY))
    }
    return runs.map(({ root, few, many }, index): Row => {
      const cpuS = middle(many) - middle(few)
      return {
        name: index === 0 ? `HiveMind (Node ${process.version})` : `the checkout ${path.basename(root)}`,
        cpuS,
        figures: {
          'ms an item': ((cpuS / (MANY - FEW)) * 1000).toFixed(2),
          [`${FEW} items, s`]: middle(few).toFixed(2),
          [`${MANY} items, s`]: middle(many).toFixed(2),
        },
      }
    })
  },
}
