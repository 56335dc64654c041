/** Runs a scenario as one of the compared systems would. */
import { explore, tiersOf } from '@hivemind/placement'
import { type Candidate, deviceCount, type Fleet, type Placement, withDevices } from '@hivemind/swarm'
import { buildModel, type Conditions, type Detail, simulateInDetail } from '@hivemind/swarm-sim'
import type { Workflow } from '@hivemind/workflow'
import { fleetFor, SYSTEMS, type SystemName } from './fleet.ts'
import type { FleetName, Inputs } from './parameters.ts'
import { type Scenario, type Scenarios, scenariosOf } from './scenarios.ts'

const SEED = 1
/** Items simulated for one figure at most: runs are cut, not thinned. */
const MAX_ITEMS = 60_000
/** Items that all devices together, and each of them, emit at most while placements are compared. */
const EXPLORED_ITEMS = { all: 5_000, device: 30 }
/** The goal of the paper's example (Listing 3): `execTime='10s'`. */
const GOAL_MS = 10_000

export interface Setting {
  fleet?: FleetName
  devices?: number
  conditions?: Conditions
  /** Whether the run is told over time too. */
  series?: boolean
  /** Other figures of the fleet. */
  change?: (fleet: Fleet) => Fleet
  /** Access points grow with the devices, as in section 5.6. */
  scaleLinks?: boolean
}

export interface Outcome extends Detail {
  placement: Placement
  fleet: Fleet
}

/** The paper's experiments with one set of inputs. */
export interface Study extends Scenarios {
  inputs: Inputs
  /** One run. */
  run: (scenario: Scenario, system: SystemName, setting?: Setting) => Promise<Outcome>
  /** The same for several scenarios. */
  all: (scenarios: readonly Scenario[], system: SystemName, setting?: Setting) => Promise<Outcome[]>
}

/** What has been simulated, by what it was simulated from: sets of inputs share it. */
export type Known = Map<string, Promise<unknown>>

function once<T>(known: Known, key: unknown, compute: () => Promise<T>): Promise<T> {
  const text = JSON.stringify(key)
  const before = known.get(text)
  if (before) return before as Promise<T>
  const result = compute()
  known.set(text, result)
  return result
}

/** The experiments with these inputs; what is known is not run again. */
export function study(inputs: Inputs, known: Known = new Map()): Study {
  const run: Study['run'] = (scenario, system, setting = {}) => {
    const fleet = fleetOf(inputs, system, setting)
    const placed = async () => {
      const { placement: side } = SYSTEMS[system]
      return side === 'hybrid'
        ? choosePlacement(scenario, await candidatesOf(known, scenario, fleet), inputs.asFast)
        : oneSided(scenario.workflow, fleet, side)
    }
    return placed().then((placement) => {
      const { conditions, series } = setting
      return once(known, [scenario, fleet, placement, conditions, series], async () =>
        runPlaced(scenario, fleet, placement, setting),
      )
    })
  }
  const all: Study['all'] = (scenarios, system, setting) =>
    Promise.all(scenarios.map((scenario) => run(scenario, system, setting)))
  return { inputs, ...scenariosOf(inputs), run, all }
}

function fleetOf(inputs: Inputs, system: SystemName, setting: Setting): Fleet {
  const base = fleetFor(inputs, setting.fleet ?? 'paper-drones', SYSTEMS[system])
  const sized = setting.devices
    ? withDevices(base, setting.devices, { scaleLinks: setting.scaleLinks ?? false })
    : base
  return setting.change ? setting.change(sized) : sized
}

/** All on one side, as far as it may be there. */
function oneSided(workflow: Workflow, fleet: Fleet, side: 'cloud' | 'edge'): Placement {
  return Object.fromEntries(
    Object.entries(tiersOf(workflow, fleet)).map(([task, tiers]) => [
      task,
      tiers.includes(side) ? side : (tiers[0] ?? side),
    ]),
  )
}

/** All meaningful placements with their estimates (4.2). */
function candidatesOf(
  known: Known,
  { workflow, profile, onBoard }: Scenario,
  fleet: Fleet,
): Promise<Candidate[]> {
  const pinned = withPins(workflow, onBoard)
  const { all, device } = EXPLORED_ITEMS
  const itemsPerDevice = Math.min(device, Math.max(1, Math.floor(all / deviceCount(fleet))))
  return once(known, ['explore', pinned, profile, fleet, itemsPerDevice], async () => {
    const { candidates } = await explore({ workflow: pinned, profile, fleet, seed: SEED, itemsPerDevice })
    return candidates
  })
}

function choosePlacement({ name }: Scenario, candidates: readonly Candidate[], asFast: number): Placement {
  const best = choose(candidates, asFast)
  if (!best) throw new Error(`'${name}' has no legal placement.`)
  return best.placement
}

/**
 * The one rule by which HiveMind's placement is chosen in all rows (4.2: the user selects the partitioning that satisfies the
 * performance and efficiency constraints). Of those that meet the goal of 10 s (Listing 3; of all, where none does), those whose
 * p99 is at most `asFast` above the least are as fast; of them, the one that takes the least energy.
 */
export function choose(candidates: readonly Candidate[], asFast: number): Candidate | undefined {
  const meeting = candidates.filter(({ estimate }) => estimate.latencyMs.p99 <= GOAL_MS)
  const eligible = meeting.length > 0 ? meeting : candidates
  const least = Math.min(...eligible.map(({ estimate }) => estimate.latencyMs.p99))
  return eligible
    .filter(({ estimate }) => estimate.latencyMs.p99 <= least * (1 + asFast))
    .sort((a, b) => a.estimate.energyJ - b.estimate.energyJ)[0]
}

function withPins(workflow: Workflow, onBoard: readonly string[]): Workflow {
  const place = { tier: 'edge', target: 'all' } as const
  return {
    ...workflow,
    tasks: workflow.tasks.map((task) =>
      onBoard.includes(task.name) ? { ...task, directives: { ...task.directives, place } } : task,
    ),
  }
}

function runPlaced(
  { workflow, profile }: Scenario,
  fleet: Fleet,
  placement: Placement,
  { conditions = {}, series = false }: Setting,
): Outcome {
  const all = profile.tasks.sense?.edge?.outputsPerInvocation ?? 1
  const itemsPerDevice = Math.min(all, Math.max(1, Math.floor(MAX_ITEMS / deviceCount(fleet))))
  const model = buildModel({ workflow, profile, fleet, placement, itemsPerDevice })
  return { ...simulateInDetail(model, { seed: SEED, conditions, series }), placement, fleet }
}
