import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import {
  explore,
  nodeThreads,
  OBJECTIVES,
  type Robustness,
  robustSteps,
  simulateInThreads,
} from '@hivemind/placement'
import { type Candidate, type Exploration, type Fleet } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import type { Command } from 'commander'
import { exitCodes } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { addEstimate, type EstimateOptions } from '../options.ts'
import { answer, answerJson, figure, say, table } from '../output.ts'
import { fleetFor, profileFor, type ReadyProject, readReadyProject } from '../project.ts'
import { startThread } from '../thread.ts'

interface ExploreOptions extends EstimateOptions {
  robust?: boolean
  json?: boolean
}

const simulators = simulateInThreads(
  nodeThreads(() => startThread(new URL('../simulation.worker.ts', import.meta.url))),
  availableParallelism(),
)

/** Explores the placements of a project on a fleet. */
export async function exploreProject(
  ready: ReadyProject,
  options: Pick<ExploreOptions, 'items' | 'seed' | 'profile'> & { fleet: Fleet; signal?: AbortSignal },
): Promise<Exploration> {
  return explore({
    workflow: ready.workflow,
    fleet: options.fleet,
    profile: await profileFor(ready, options.profile),
    itemsPerDevice: options.items,
    seed: options.seed,
    signal: options.signal,
    simulators,
  })
}

/** How the front stands when the profile of the exploration is not quite right. */
async function robustness(
  workflow: Workflow,
  fleet: Fleet,
  { candidates, inputs }: Exploration,
  options: Pick<ExploreOptions, 'items'> & { signal: AbortSignal },
): Promise<Robustness> {
  const steps = robustSteps({
    workflow,
    fleet,
    profile: inputs.profile,
    itemsPerDevice: options.items,
    candidates: candidates.filter((candidate) => candidate.pareto),
    seed: inputs.seed,
  })
  let step = steps.next()
  for (; !step.done; step = steps.next()) {
    await setImmediate()
    options.signal.throwIfAborted()
  }
  return step.value
}

function robustTable({ candidates, choice }: Robustness): string {
  const percent = (share: number) => figure(100 * share)
  return table([
    [
      'ID',
      'ON FRONT %',
      'MEETS %',
      'MEAN REGRET %',
      'WORST REGRET %',
      'WORST: P99 ms',
      'J',
      'MB/s',
      '$/h',
      '',
    ],
    ...candidates.map(({ id, onFront, meets, meanRegret, worstRegret, regret }) => [
      id,
      percent(onFront),
      percent(meets),
      percent(meanRegret),
      percent(worstRegret),
      ...OBJECTIVES.map((objective) => figure(regret[objective].worst)),
      id === choice ? 'robust choice' : '',
    ]),
  ])
}

/** The candidate as the command prints it: the figures people compare on top, the whole estimate below. */
function flat(candidate: Candidate) {
  const { id, placement, baseline, estimate, method, pareto, meets, violations } = candidate
  return {
    id,
    placement,
    ...(baseline === undefined ? {} : { baseline }),
    latencyMs: { p50: estimate.latencyMs.p50, p99: estimate.latencyMs.p99 },
    execTimeMs: estimate.execTimeMs,
    energyJ: estimate.energyJ,
    bandwidthMBps: estimate.bandwidthMBps,
    costPerHour: estimate.costPerHour,
    pareto,
    meets,
    violations,
    method,
    p99IntervalMs: candidate.p99IntervalMs,
    tiedWith: candidate.tiedWith,
    breakdown: estimate.breakdown,
  }
}

function candidateTable(candidates: Candidate[]): string {
  const rows = candidates.map(({ id, placement, baseline, estimate, pareto, meets }) => [
    id,
    figure(estimate.latencyMs.p50),
    figure(estimate.latencyMs.p99),
    figure(estimate.execTimeMs / 1000),
    figure(estimate.energyJ),
    figure(estimate.bandwidthMBps),
    figure(estimate.costPerHour),
    pareto ? 'yes' : '',
    meets ? 'yes' : 'no',
    `${Object.entries(placement)
      .map(([task, tier]) => `${task}=${tier}`)
      .join(' ')}${baseline ? ` (${baseline})` : ''}`,
  ])
  return table([
    ['ID', 'P50 ms', 'P99 ms', 'RUN s', 'J/DEVICE', 'MB/s', '$/h', 'FRONT', 'MEETS', 'PLACEMENT'],
    ...rows,
  ])
}

export function exploreCommand(program: Command): void {
  const command = program
    .command('explore')
    .description('estimate every meaningful placement and its trade-offs')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
  addEstimate(command, 'the fleet to explore on')
    .option('--robust', 'also judge the front under 200 draws of the profile within its uncertainty')
    .option('--json', 'print candidates, front and what was pruned as JSON')
    .addHelpText('after', '\nExample:\n  hivemind explore examples/people-recognition --seed 7 --json')
    .action(async (target: string, options: ExploreOptions) => {
      const ready = await readReadyProject(target)
      const fleet = await fleetFor(ready, options)
      const { exploration, robustly } = await untilInterrupted(async (signal) => {
        const exploration = await exploreProject(ready, { ...options, fleet, signal })
        if (!options.robust) return { exploration, robustly: undefined }
        return {
          exploration,
          robustly: await robustness(ready.workflow, fleet, exploration, { ...options, signal }),
        }
      })
      const { candidates, front, pruned, proof, note, inputs } = exploration
      if (options.json)
        answerJson({
          candidates: candidates.map(flat),
          front,
          pruned,
          proof,
          note,
          inputs,
          robustness: robustly,
        })
      else {
        answer(candidateTable(candidates))
        for (const [rule, count] of Object.entries(pruned.byRule))
          say(`pruned by ${rule}: ${count === Number.MAX_VALUE ? 'over 10^308' : count}`)
        if (note !== undefined) say(note)
        if (robustly) {
          answer(`\n${robustTable(robustly)}`)
          for (const sentence of robustly.sentences) say(sentence)
        }
        if (!candidates.some((candidate) => candidate.meets)) say('No candidate meets the constraints.')
      }
      process.exitCode = candidates.length > 0 ? exitCodes.fine : exitCodes.workflow
    })
}
