/** Runs a scenario as one of the compared systems would. */
import { explore, tiersOf } from '@hivemind/placement'
import { deviceCount, type Fleet, type Placement, withDevices } from '@hivemind/swarm'
import { buildModel, type Conditions, type Detail, simulateInDetail } from '@hivemind/swarm-sim'
import { type Fabric, type FleetName, fleetFor, type Inputs, type System } from './parameters.ts'
import { type Scenario, type Scenarios, scenariosOf } from './scenarios.ts'

const SEED = 1
/** Items simulated for one figure at most: runs are cut, not thinned. */
const MAX_ITEMS = 400_000

export interface Setting {
  fleet?: FleetName
  devices?: number
  fabric?: Fabric
  conditions?: Conditions
  /** Whether the run is told over time too. */
  series?: boolean
  /** Other figures of the fleet. */
  change?: (fleet: Fleet) => Fleet
  /** Access points grow with the devices, as in section 5.6. */
  scaleLinks?: boolean
}

/** All on one side, as far as it may be there. */
function oneSided(scenario: Scenario, fleet: Fleet, side: 'cloud' | 'edge'): Placement {
  return Object.fromEntries(
    Object.entries(tiersOf(scenario.workflow, fleet)).map(([task, tiers]) => [
      task,
      tiers.includes(side) ? side : (tiers[0] ?? side),
    ]),
  )
}

function fleetOf(inputs: Inputs, system: System, setting: Setting): Fleet {
  const base = fleetFor(inputs, setting.fleet ?? 'paper-drones', system, setting.fabric)
  const sized = setting.devices
    ? withDevices(base, setting.devices, { scaleLinks: setting.scaleLinks ?? false })
    : base
  return setting.change ? setting.change(sized) : sized
}

export interface Outcome extends Detail {
  placement: Placement
  fleet: Fleet
}

/** The paper's experiments with one set of inputs. */
export interface Study extends Scenarios {
  inputs: Inputs
  /**
   * One run. HiveMind's placement is the one that a person who wants speed would pick from its exploration: that of the
   * least p99 latency.
   */
  run: (scenario: Scenario, system: System, setting?: Setting) => Promise<Outcome>
  /** The same for several scenarios. */
  all: (scenarios: readonly Scenario[], system: System, setting?: Setting) => Promise<Outcome[]>
}

/** The experiments with these inputs; what was run once is not run again. */
export function study(inputs: Inputs): Study {
  const outcomes = new Map<string, Promise<Outcome>>()
  const run: Study['run'] = (scenario, system, setting = {}) => {
    const fleet = fleetOf(inputs, system, setting)
    const key = JSON.stringify([scenario, system, fleet, setting])
    const known = outcomes.get(key)
    if (known) return known
    const outcome = runOn(scenario, system, fleet, setting)
    outcomes.set(key, outcome)
    return outcome
  }
  const all: Study['all'] = (scenarios, system, setting) =>
    Promise.all(scenarios.map((scenario) => run(scenario, system, setting)))
  return { inputs, ...scenariosOf(inputs), run, all }
}

async function runOn(scenario: Scenario, system: System, fleet: Fleet, setting: Setting): Promise<Outcome> {
  const placement =
    system === 'hivemind'
      ? await fastest(scenario, fleet)
      : oneSided(scenario, fleet, system === 'centralised' ? 'cloud' : 'edge')
  return runPlaced(scenario, fleet, placement, setting)
}

async function fastest({ name, workflow, profile }: Scenario, fleet: Fleet): Promise<Placement> {
  const { candidates } = await explore({ workflow, profile, fleet, seed: SEED })
  const [best] = [...candidates].sort((a, b) => a.estimate.latencyMs.p99 - b.estimate.latencyMs.p99)
  if (!best) throw new Error(`'${name}' has no legal placement.`)
  return best.placement
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
