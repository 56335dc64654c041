/** The exact front of additive placement problems: ours against CP-SAT, plain enumeration and NSGA-II (docs/bench/exact-front.md). */
import { medianOf, onceOf, own, pythonWith, scratch } from './peers.ts'
import { instanceOf, type Shape } from './placement-front-instances.ts'
import { referenceOf, volumeOf } from './placement-front-volume.ts'
import type { Bench, Row } from './table.ts'

/** With `--full` after the name of the bench CP-SAT may take longer. */
const isFull = process.argv.includes('--full')
/** CPU seconds after which CP-SAT is stopped, and from 20 tasks on, of which it is asked to take 1,000 times as long as ours. */
const CP_SAT_SECONDS = isFull ? 400 : 120
const CP_SAT_LARGE_SECONDS = isFull ? 400 : 300
/** CPU seconds after which ours is stopped when it is asked for a quick front, which it is to give within half a second. */
const QUICK_SECONDS = 0.42

interface Result {
  cpuS: number
  version: string
  complete: boolean
  epsilon?: number | null
  points: number[][]
}

interface Case {
  shape: Shape
  tasks: number
  cpSat?: true
  naive?: true
  quick?: true
  /** Without: 1, and peers run too. */
  seed?: number
}

const CASES: Case[] = [
  { shape: 'random', tasks: 10, cpSat: true, naive: true },
  { shape: 'random', tasks: 15, cpSat: true, naive: true },
  { shape: 'random', tasks: 20, cpSat: true, naive: true },
  { shape: 'random', tasks: 25 },
  { shape: 'dense', tasks: 25 },
  ...[2, 3].map((seed): Case => ({ shape: 'dense', tasks: 25, seed })),
  { shape: 'complete', tasks: 25 },
  ...[2, 3, 4].map((seed): Case => ({ shape: 'complete', tasks: 25, seed })),
  { shape: 'dense', tasks: 30 },
  { shape: 'dense', tasks: 35 },
  { shape: 'chain', tasks: 50 },
  { shape: 'fork-join', tasks: 50 },
  { shape: 'branches', tasks: 50, quick: true },
  { shape: 'random', tasks: 50, quick: true },
  // what can be had in a moment, of some more
  ...[2, 3, 4, 5, 6].map((seed): Case => ({ shape: 'random', tasks: 50, quick: true, seed })),
  { shape: 'branches', tasks: 50, quick: true, seed: 2 },
]

function rowsOf({ shape, tasks, cpSat, naive, quick, seed }: Case, python: string): Row[] {
  const file = scratch(`front-${shape}-${tasks}.json`, JSON.stringify(instanceOf(shape, tasks, seed ?? 1)))
  const ours = medianOf<Result>(process.execPath, [own('src/placement-front-ours.ts'), file])
  const reference = referenceOf(ours.points)
  const whole = volumeOf(ours.points, reference)
  const truth = ours.points.map(String).sort().join(' ')
  const row = (label: string, result: Result): Row => ({
    name: `${shape} ${tasks}${seed ? `, seed ${seed}` : ''}: ${label} ${result.version}`,
    cpuS: result.cpuS,
    oursS: ours.cpuS,
    figures: {
      points: String(result.points.length),
      front: result.complete
        ? result.points.map(String).sort().join(' ') === truth
          ? 'whole'
          : 'DIFFERS'
        : result.epsilon === undefined || result.epsilon === null
          ? 'part'
          : `within ${(100 * result.epsilon).toFixed(1)}%`,
      hypervolume: (volumeOf(result.points, reference) / whole).toFixed(4),
    },
  })
  const script = own('src/placement-front-ours.ts')
  return [
    row('HiveMind', ours),
    ...(quick
      ? [
          row(
            `HiveMind, stopped at ${QUICK_SECONDS} s`,
            medianOf(process.execPath, [script, file, String(QUICK_SECONDS)]),
          ),
        ]
      : []),
    ...(naive
      ? [row('plain JavaScript', onceOf(process.execPath, [own('peers/front-naive.mjs'), file]))]
      : []),
    ...(cpSat
      ? [
          row(
            'CP-SAT',
            onceOf(python, [
              own('peers/front_cpsat.py'),
              file,
              String(tasks < 20 ? CP_SAT_SECONDS : CP_SAT_LARGE_SECONDS),
            ]),
          ),
        ]
      : []),
    ...(seed ? [] : [row('NSGA-II 100 x 200', onceOf(python, [own('peers/front_nsga2.py'), file]))]),
  ]
}

export const placementFront: Bench = {
  name: 'placement-front',
  title:
    'front over latency (critical path), energy and cost, two tiers; ours: medians of 3 processes, peers: one; ' +
    `ratio: to ours on the same instance; CP-SAT is stopped after ${CP_SAT_SECONDS} CPU s, ${CP_SAT_LARGE_SECONDS} with 20 tasks`,
  async run() {
    const python = pythonWith(['ortools==9.15.6755', 'pymoo==0.6.2'])
    return CASES.flatMap((each) => rowsOf(each, python))
  },
}
