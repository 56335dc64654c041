/** CPU time of the run core for each completed task, against Node-RED's nodes and a graph of bits by hand. */
import { bundled, medianOf, own } from './peers.ts'
import type { Bench, Row } from './table.ts'

/** Items over all devices; each of them passes a chain of five tasks. */
const ITEMS = 160_000
const MESSAGES = 40_000
/** What must hold, us per task; and what we want. */
const FLOOR_US = 5
const GOAL_US = 1

interface Measured {
  cpuS: number
  tasks: number
}

const usOf = ({ cpuS, tasks }: Measured): number => (cpuS * 1e6) / tasks

export const runCore: Bench = {
  name: 'run-core',
  title: 'CPU for each completed task, chain of five tasks that do nothing',
  async run(): Promise<Row[]> {
    const program = bundled('run-core-ours')
    const ours = (what: 'core' | 'by-hand', devices: number): Measured =>
      medianOf<Measured>(process.execPath, [program, what, String(devices), String(ITEMS / devices)])
    const one = ours('core', 1)
    const many = ours('core', 1_600)
    const red = medianOf<Measured>(process.execPath, [own('peers/node-red/run.mjs'), String(MESSAGES)])
    const hand = ours('by-hand', 1)
    const unit = usOf(one)
    const row = (name: string, measured: Measured, verdict = ''): Row => ({
      name,
      cpuS: measured.cpuS,
      // Ratios are of one task, since not all ran as many.
      oursS: (measured.cpuS * unit) / usOf(measured),
      figures: {
        tasks: String(measured.tasks),
        'us per task': usOf(measured).toFixed(usOf(measured) < 0.1 ? 3 : 2),
        verdict,
      },
    })
    const met = (holds: boolean): string => (holds ? 'met' : 'not met')
    const time = (us: number): string =>
      `<= ${FLOOR_US} us: ${met(us <= FLOOR_US)}; goal ${GOAL_US} us: ${met(us <= GOAL_US)}`
    const apart = usOf(many) / unit
    const faster = usOf(red) / unit
    return [
      row('run core, 1 device', one, time(unit)),
      row('run core, 1,600 devices', many, `${time(usOf(many))}; at most 2 x apart: ${met(apart <= 2)}`),
      row(
        'Node-RED 5.0.7, five nodes',
        red,
        `at least 2 x slower: ${met(faster >= 2)}; goal 5 x: ${met(faster >= 5)}`,
      ),
      row('bits by hand, 1 device', hand),
    ]
  },
}
