/** The rules that say which tasks a tier refuses, and why. */
import { fitsFabric, WIDEST_WINDOW } from '@hivemind/nfu'
import type { Role } from '@hivemind/workflow'
import { matchesTarget, servesClass } from './edge-nodes.ts'
import type { Fleet } from './fleet.ts'
import { deviceClasses, deviceCount } from './fleets.ts'

/** What the rules of a tier need to know of a task. */
export interface TaskFacts {
  name: string
  /** Path of its code, or `nfu:OP?..`. */
  code: string
  role: Role
  /** It runs once for the whole swarm instead of once for each device. */
  swarmWide: boolean
  /** It has a `Synchronize` directive. */
  barrier: boolean
  /** Name of the data that holds it on the devices (`stays='device'`); `null` for none. */
  heldBy: string | null
  /** What it, and the tasks on devices above it, are pinned to: it runs for the devices that are meant by all of these. */
  targets: readonly string[]
  /**
   * Its number among the network functions of the workflow, from 0, those pinned to the fabric first: so many boards are taken
   * by others. -1 for what is no network function.
   */
  functionNumber: number
}

/** A condition of a tier. Several tiers may share one. */
export interface TierRule {
  /** Under this name the exploration counts the placements that it removes. */
  name: string
  /** A sentence that says why the task cannot run on the tier, or `null` when it can. */
  refuse(task: TaskFacts, fleet: Fleet): string | null
}

export const SENSOR_NOT_IN_CLOUD: TierRule = {
  name: 'sensor-not-in-cloud',
  refuse: ({ name, role }) =>
    role === 'sensor' ? `Task '${name}' collects sensor data, which is only possible on the devices.` : null,
}

export const ACTUATOR_NOT_IN_CLOUD: TierRule = {
  name: 'actuator-not-in-cloud',
  refuse: ({ name, role }) =>
    role === 'actuator' ? `Task '${name}' moves the device it runs on, so it cannot run in the cloud.` : null,
}

export const DATA_STAYS_ON_DEVICE: TierRule = {
  name: 'data-stays-on-device',
  refuse: ({ name, heldBy }) =>
    heldBy === null
      ? null
      : `Task '${name}' writes, reads or is handed '${heldBy}', which stays on the device, so it must run on the edge.`,
}

export const SWARM_BARRIER_NOT_ON_EDGE: TierRule = {
  name: 'swarm-barrier-not-on-edge',
  refuse: ({ name, swarmWide, barrier }) =>
    swarmWide
      ? `Task '${name}' runs once for the whole swarm (${
          barrier ? 'it is a barrier' : 'it comes after a barrier'
        }), so it must run in the cloud.`
      : null,
}

export const FABRIC_NOT_FOR_DEVICES: TierRule = {
  name: 'fabric-not-for-devices',
  refuse: ({ name, role }) =>
    role === 'compute'
      ? null
      : `Task '${name}' ${role === 'sensor' ? 'collects sensor data' : 'moves the device it runs on'}, which the fabric cannot.`,
}

export const FABRIC_NEEDS_NFU: TierRule = {
  name: 'fabric-needs-nfu',
  refuse: ({ name, code }) =>
    code.startsWith('nfu:')
      ? null
      : `Task '${name}' runs '${code}'; only a network function ('nfu:...') can run on the fabric.`,
}

export const FABRIC_NOT_AVAILABLE: TierRule = {
  name: 'fabric-not-available',
  refuse: ({ name }, fleet) =>
    fleet.fabric ? null : `Task '${name}' cannot run on the fabric: fleet '${fleet.name}' has none.`,
}

export const FABRIC_NEEDS_WINDOW: TierRule = {
  name: 'fabric-needs-window',
  refuse: ({ name, code }) =>
    fitsFabric(code)
      ? null
      : `Task '${name}' cannot run on the fabric, which gives one summary for each window, of 1 to ${WIDEST_WINDOW.toLocaleString('en')} readings: '${code}' needs one.`,
}

export const FABRIC_HAS_TOO_FEW_BOARDS: TierRule = {
  name: 'fabric-has-too-few-boards',
  refuse({ name, functionNumber }, { name: fleet, fabric }) {
    const boards = fabric?.boards ?? 0
    if (functionNumber < boards) return null
    return `Task '${name}' cannot run on the fabric: fleet '${fleet}' has ${boards === 1 ? 'one board, which runs' : `${boards} boards, each of which runs`} one network function. Place(${name}, 'Fabric') puts it before the others.`
  },
}

export const FABRIC_HAS_TOO_FEW_PLACES: TierRule = {
  name: 'fabric-has-too-few-places',
  refuse({ name, swarmWide }, fleet) {
    const places = fleet.fabric?.places ?? 0
    const devices = swarmWide ? 1 : deviceCount(fleet)
    if (devices <= places) return null
    return `Task '${name}' cannot run on the fabric: a board keeps windows for ${places} devices, and fleet '${fleet.name}' has ${devices}. Build it with more (--set distil.sources=...), or use fewer devices.`
  },
}

export const EDGE_NODE_NOT_AVAILABLE: TierRule = {
  name: 'edge-node-not-available',
  refuse: ({ name }, fleet) =>
    fleet.edgeNodes
      ? null
      : `Task '${name}' cannot run on an edge node: fleet '${fleet.name}' has none. Place it on the devices or in the cloud, or choose a fleet that has some.`,
}

export const EDGE_NODE_NOT_FOR_DEVICES: TierRule = {
  name: 'edge-node-not-for-devices',
  refuse: ({ name, role }) =>
    role === 'compute'
      ? null
      : `Task '${name}' ${role === 'sensor' ? 'collects sensor data' : 'moves the device it runs on'}, which an edge node cannot.`,
}

export const EDGE_NODE_SERVES_OTHERS: TierRule = {
  name: 'edge-node-serves-others',
  refuse({ name, targets, swarmWide }, fleet) {
    const { edgeNodes } = fleet
    if (!edgeNodes || swarmWide) return null
    const alone = deviceClasses(fleet).find(
      (each, device) =>
        !servesClass(edgeNodes, each.name) &&
        targets.every((target) => matchesTarget(target, device, each, fleet)),
    )
    return alone
      ? `Task '${name}' cannot run on an edge node: it runs for devices of class '${alone.name}', which '${edgeNodes.name}' does not serve.`
      : null
  },
}
