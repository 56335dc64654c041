/**
 * How far the simulation is from real runs on the local target, and how far two sets of the same real runs are from each other:
 * the bound below which no simulation can be told from chance (HiveMind paper, 5.6 and Fig. 18: under 5 % at p99).
 */
import { spawnSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Comparison, Figure, Repetition } from '@hivemind/orchestrator'
import type { Bench, Row } from './table.ts'

const RUNS = 5
const LINK = '54mbit,2ms,0.1%'
const EXAMPLES: readonly (readonly [name: string, agents: number, items?: number])[] = [
  ['hello-swarm', 2],
  ['stationary-items', 2],
  ['people-recognition', 2, 12],
  ['hello-swarm', 4],
  ['stationary-items', 4],
]

type Placement = Comparison & { name: string; repetition: Repetition }

interface Validated {
  label: string
  load: number
  placement: Placement
}

const at = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))

/** Both placements of an example, in runs that take turns with those for the profile. */
function validate(
  example: string,
  agents: number,
  items: number | undefined,
  link: string | undefined,
): Validated[] {
  const args = [
    ...['validate', at(`examples/${example}`), '--json', '--agents', String(agents), '--runs', String(RUNS)],
    ...['--placements', 'all-cloud,all-edge'],
    ...(items === undefined ? [] : ['--items', String(items)]),
    ...(link === undefined ? [] : ['--link', link]),
  ]
  const load = loadavg()[0] ?? 0
  const { status, stdout, stderr } = spawnSync(process.execPath, [at('apps/cli/bin/hivemind.mjs'), ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (status !== 0) throw new Error(`'hivemind ${args.join(' ')}' failed: ${stderr.trim()}`)
  const { placements } = JSON.parse(stdout) as { placements: Placement[] }
  return placements.map((placement) => ({
    label: `${example}, ${agents} agents, ${link ? 'shaped' : 'unshaped'}, ${placement.name}`,
    load,
    placement,
  }))
}

const NONE: Figure = { simulatedMs: Number.NaN, measuredMs: Number.NaN, deviation: Number.NaN }
const FIGURES = {
  p50: ({ rows }: Placement) => rows.find(({ task }) => task === null)?.p50 ?? NONE,
  p99: ({ rows }: Placement) => rows.find(({ task }) => task === null)?.p99 ?? NONE,
  run: ({ run }: Placement) => run,
}
const BOUNDS = {
  p50: ({ endToEndP50 }: Repetition) => endToEndP50,
  p99: ({ endToEndP99 }: Repetition) => endToEndP99,
  run: ({ run }: Repetition) => run,
}
type Name = keyof typeof FIGURES
const NAMES = Object.keys(FIGURES) as Name[]

const share = (value: number) => `${value > 0 ? '+' : ''}${(100 * value).toFixed(0)} %`
const ms = (value: number) => value.toPrecision(3)
const mean = (values: readonly number[]) =>
  values.reduce((sum, each) => sum + Math.abs(each), 0) / Math.max(1, values.length)
const median = (values: readonly number[]) =>
  values.map(Math.abs).sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

function rowOf({ label, load, placement }: Validated): Row {
  const figures = NAMES.map((name): [string, string] => {
    const { simulatedMs, measuredMs, deviation } = FIGURES[name](placement)
    return [
      `${name}: simulated, measured, off (two sets of runs)`,
      `${ms(simulatedMs)}, ${ms(measuredMs)}, ${share(deviation)} (${share(BOUNDS[name](placement.repetition))})`,
    ]
  })
  return {
    name: label,
    cpuS: Number.NaN,
    figures: { ...Object.fromEntries(figures), load: load.toFixed(1) },
  }
}

function summary(what: string, of: (values: readonly number[]) => number, all: readonly Validated[]): Row {
  const figures = NAMES.map((name): [string, string] => [
    `${name}: simulated, measured, off (two sets of runs)`,
    `${share(of(all.map(({ placement }) => FIGURES[name](placement).deviation)))} (${share(of(all.map(({ placement }) => BOUNDS[name](placement.repetition))))})`,
  ])
  return { name: what, cpuS: Number.NaN, figures: Object.fromEntries(figures) }
}

export const validation: Bench = {
  name: 'validation',
  title: `simulation against real runs on this machine, and real runs against each other (${RUNS} runs each)`,
  async run() {
    const all: Validated[] = []
    for (const [example, agents, items] of EXAMPLES)
      for (const link of [undefined, LINK]) all.push(...validate(example, agents, items, link))
    return [
      ...all.map(rowOf),
      summary('mean size of the deviation', mean, all),
      summary('median size of the deviation', median, all),
    ]
  },
}
