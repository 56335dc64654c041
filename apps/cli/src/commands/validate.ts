import os from 'node:os'
import {
  anyDevices,
  type Calls,
  callsOf,
  formatLink,
  type ItemSent,
  type LinkShape,
  localTarget,
  machineFleet,
  onThisMachine,
  profileAlone,
  profileWithCalls,
  type Shown,
} from '@hivemind/deploy'
import {
  type Comparison,
  compare,
  deviationsOf,
  type Figure,
  type Repetition,
  repetitionOf,
  type Timings,
  timingsOf,
} from '@hivemind/orchestrator'
import { explore } from '@hivemind/placement'
import type { Fleet, Placement, Profile } from '@hivemind/swarm'
import { simulate } from '@hivemind/swarm-sim'
import { type Command, InvalidArgumentError } from 'commander'
import { type Baseline, baseline, SOFTWARE_BASELINES } from '../choice.ts'
import { deploymentFault, requireRuntimes } from '../deployment.ts'
import { workflowFault } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { link, linkHelp } from '../link.ts'
import { whole } from '../options.ts'
import { answer, answerJson, figure, say, table } from '../output.ts'
import { profileFor, type ReadyProject, readMeasuredProject } from '../project.ts'
import { watchCores } from '../validation/cores.ts'
import { synthesiseProject } from './synth.ts'

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9]
const LEAST_ENERGY = 'least-energy'
type Choice = Baseline | typeof LEAST_ENERGY
const CHOICES: readonly Choice[] = [...SOFTWARE_BASELINES, LEAST_ENERGY]

interface ValidateOptions {
  agents: number
  placements: Choice[]
  link?: LinkShape
  runs: number
  items?: number
  profile?: string
  json?: boolean
}

function choices(text: string): Choice[] {
  return text.split(',').map((word) => {
    const choice = CHOICES.find((known) => known === word.trim())
    if (!choice) throw new InvalidArgumentError(`'${word}' is none of ${CHOICES.join(', ')}.`)
    return choice
  })
}

/** A placement and all the names it was asked for by. */
interface Chosen {
  name: string
  placement: Placement
  /** What its runs have shown beside its profile. */
  calls?: Calls
  /** The runs that showed the profile against those measured. */
  repetition?: Repetition
}

async function choose(
  { workflow }: ReadyProject,
  wanted: Choice[],
  bounds: ReadonlyMap<Baseline, Placement>,
  given: { fleet: Fleet; profile: Profile; signal: AbortSignal },
): Promise<Chosen[]> {
  const chosen = new Map<string, Chosen>()
  for (const choice of wanted) {
    const placement =
      choice === LEAST_ENERGY
        ? (await explore({ workflow, seed: 1, ...given })).candidates.reduce((best, each) =>
            each.estimate.energyJ < best.estimate.energyJ ? each : best,
          ).placement
        : (bounds.get(choice) as Placement)
    const key = JSON.stringify(Object.entries(placement).sort())
    const same = chosen.get(key)
    if (same) same.name = `${same.name}, ${choice}`
    else chosen.set(key, { name: choice, placement })
  }
  return [...chosen.values()]
}

/**
 * Deploys a placement, runs it once to warm it up, then so many times to measure it. Without a profile given, as many
 * runs in between show what the tasks take: no run is both what the simulation reads and what it is held against, and
 * what else the machine does meanwhile falls on both alike.
 */
async function measure(
  ready: ReadyProject,
  { name, placement }: Chosen,
  options: ValidateOptions,
  given: Profile | undefined,
  signal: AbortSignal,
): Promise<{ timings: Timings[]; profile: Profile; calls?: Calls; repetition?: Repetition }> {
  const { agents, runs, items } = options
  const synthesis = synthesiseProject(ready, placement)
  const spec = {
    name: `${ready.source.name}-validate`,
    synthesis,
    projectDir: ready.source.dir,
    devices: anyDevices(agents),
  }
  const target = localTarget(options.link ? { link: options.link } : {})
  const deployment = await target.apply(spec, { signal }).catch(async (error: unknown) => {
    await target.close()
    throw error
  })
  const sent: ItemSent[] = []
  const run = async (what: string) => {
    say(`${name}: ${what}`)
    sent.length = 0
    const result = await deployment.run({
      inputs: ready.project.inputs,
      ...(items === undefined ? {} : { itemsPerDevice: items }),
      signal,
      onItem: (item) => sent.push(item),
      keepSpans: true,
    })
    if (result.state !== 'succeeded')
      throw workflowFault(`A run of ${name} ${result.state}: ${result.message ?? 'no reason was given.'}`)
    return result
  }
  try {
    const timings: Timings[] = []
    const shown: Shown[] = []
    const before: Timings[] = []
    const agentPids = deployment
      .status()
      .resources.flatMap(({ kind, pid }) => (kind === 'agent' && pid) || [])
    await run('warming up')
    for (let index = 1; index <= runs; index++) {
      if (!given) {
        const coresMeanwhile = watchCores([process.pid, ...agentPids])
        const result = await run(`run ${index} of ${runs} for the profile`)
        shown.push({ spans: result.spans, cores: coresMeanwhile() })
        before.push(timingsOf(ready.workflow, result, sent))
      }
      timings.push(timingsOf(ready.workflow, await run(`run ${index} of ${runs}`), sent))
    }
    const note = `Measured for a validation of ${name} with ${agents} agents`
    if (given) return { timings, profile: given }
    const calls = callsOf(ready.workflow, shown, machineFleet(agents, options.link))
    const together = profileWithCalls(ready.workflow, shown, note)
    const profile = profileAlone(ready.workflow, together, before, (alone) =>
      simulated(ready, placement, options, { profile: alone, calls }),
    )
    return { timings, profile, calls, repetition: repetitionOf(before, timings) }
  } finally {
    await target.close()
  }
}

function simulated(
  { workflow }: ReadyProject,
  placement: Placement,
  { agents, items, link: shape }: ValidateOptions,
  { profile, calls }: { profile: Profile; calls?: Calls },
) {
  const given = { workflow, placement, profile, ...(items === undefined ? {} : { itemsPerDevice: items }) }
  const { model, conditions } = onThisMachine(given, agents, shape, calls)
  return SEEDS.map((seed) => simulate(model, { seed, conditions }))
}

/** Compares every placement asked for. */
async function validated(
  ready: ReadyProject,
  options: ValidateOptions,
  signal: AbortSignal,
): Promise<(Chosen & Comparison)[]> {
  const fleet = machineFleet(options.agents, options.link)
  const bounds = new Map(SOFTWARE_BASELINES.map((which) => [which, baseline(ready, fleet, which)]))
  for (const placement of bounds.values()) await requireRuntimes(synthesiseProject(ready, placement).plan)
  const own = await profileFor(ready, options.profile)
  const chosen = await choose(ready, options.placements, bounds, { fleet, profile: own, signal })
  const placements: (Chosen & Comparison)[] = []
  for (const each of chosen) {
    const given = options.profile === undefined ? undefined : own
    const measured = await measure(ready, each, options, given, signal)
    const estimates = simulated(ready, each.placement, options, measured)
    placements.push({
      ...each,
      ...compare(estimates, measured.timings),
      ...(measured.calls && { calls: measured.calls }),
      ...(measured.repetition && { repetition: measured.repetition }),
    })
  }
  return placements
}

const percent = (share: number): string =>
  Number.isFinite(share) ? `${share > 0 ? '+' : ''}${(share * 100).toFixed(share > 10 ? 0 : 1)}` : '-'

const size = (share: number): string => (Number.isFinite(share) ? `${(share * 100).toFixed(1)}%` : '-')

const cells = ({ simulatedMs, measuredMs, deviation }: Figure): string[] => [
  figure(simulatedMs),
  figure(measuredMs),
  percent(deviation),
]

function comparisonTable(placements: readonly (Chosen & Comparison)[]): string {
  const rows = placements.flatMap(({ name, rows: own, run }) => [
    ...own.map(({ task, tier, p50, p99 }) => [
      name,
      task ?? 'end to end',
      tier ?? '',
      ...cells(p50),
      ...cells(p99),
    ]),
    [name, 'whole run', '', ...cells(run)],
  ])
  return table([
    ['PLACEMENT', 'TASK', 'TIER', 'P50 SIM ms', 'MEASURED', 'DEV %', 'P99 SIM ms', 'MEASURED', 'DEV %'],
    ...rows,
  ])
}

function repeatedSentence(repetitions: readonly Repetition[]): string {
  const mean = (of: (each: Repetition) => number): string =>
    size(repetitions.reduce((sum, each) => sum + Math.abs(of(each)), 0) / repetitions.length)
  return `The runs for the profile against those measured, without a simulation: end to end p99 ${mean((each) => each.endToEndP99)}, p50 ${mean((each) => each.endToEndP50)}`
}

export function validateCommand(program: Command): void {
  program
    .command('validate')
    .description('run placements for real and in simulation, and tell how far the two are apart')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--agents <n>', 'number of edge devices to start', whole(1, 64), 2)
    .option('--placements <names>', `of ${CHOICES.join(', ')}, separated by commas`, choices, [...CHOICES])
    .option('--link <shape>', linkHelp, link)
    .option('--runs <n>', 'measured runs of each placement; figures are medians over them', whole(1, 100), 3)
    .option('--items <n>', 'most items a sensor emits on a device', whole(1, 100_000))
    .option('--profile <file>', 'a profile to simulate with, instead of measuring one in runs in between')
    .option('--json', 'print rows, deviations and what was used as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  hivemind validate examples/hello-swarm --agents 2 --link 54mbit,2ms --runs 5',
    )
    .action(async (target: string, options: ValidateOptions) => {
      const ready = await readMeasuredProject(target)
      const before = os.loadavg()[0] ?? 0
      const placements = await untilInterrupted((signal) =>
        validated(ready, options, signal).catch((error: unknown) => {
          throw deploymentFault(error, (message) => workflowFault(`The validation failed: ${message}`))
        }),
      )
      const after = os.loadavg()[0] ?? 0
      const deviations = deviationsOf(placements)
      const machine = {
        processor: os.cpus()[0]?.model.trim() ?? 'unknown',
        cores: os.availableParallelism(),
        node: process.versions.node,
        loadAverage: { before, after },
      }
      if (options.json) {
        const { agents, runs } = options
        answerJson({
          agents,
          runs,
          ...(options.link ? { link: options.link } : {}),
          machine,
          deviations,
          placements,
        })
        return
      }
      answer(comparisonTable(placements))
      answer(
        `Mean deviation: end to end p99 ${size(deviations.endToEndP99)}, p50 ${size(deviations.endToEndP50)}; all figures ${size(deviations.all)} (median ${size(deviations.median)})`,
      )
      const repetitions = placements.flatMap(({ repetition }) => repetition ?? [])
      if (repetitions.length > 0) answer(repeatedSentence(repetitions))
      say(
        `${options.agents} agents, ${options.link ? `link ${formatLink(options.link)}` : 'no link shaped'}; ${machine.processor}, ${machine.cores} cores, Node.js ${machine.node}; load average ${before.toFixed(1)} before, ${after.toFixed(1)} after`,
      )
    })
}
