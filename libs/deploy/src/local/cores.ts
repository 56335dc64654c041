/** The cores of this machine, handed out to the isolated tasks of all deployments and all their agents. */
import type { DesiredDeployment } from '@hivemind/agent-protocol'
import { edgeTasks, type Plan } from '@hivemind/synthesis'
import { assignCores, type CoreAssignment, usableCores } from '@hivemind/task-runner'
import type { CoresRecord, DeviceSpec } from '../types.ts'

/** Knows which cores are taken. Deployments that follow each other have one group, and its cores are theirs together. */
export class MachineCores {
  readonly #usable: readonly number[]
  readonly #taken = new Map<string, CoreAssignment>()

  constructor(usable: readonly number[] = usableCores()) {
    this.#usable = usable
  }

  /**
   * Hands out cores for a deployment in place of those its group had: one for each of its isolated functions on this machine, whose names
   * are `functions`, and one for each isolated task of each of its devices' agents, of those
   * that no other group has. None when they do not suffice for all with one left for the rest.
   */
  assign(
    group: string,
    functions: readonly string[],
    plan: Plan,
    devices: readonly DeviceSpec[],
  ): CoreAssignment {
    const taken = this.#takenByOthers(group)
    const assignment = assignCores(
      [...functions, ...isolatedOnDevices(plan, devices)],
      this.#usable.filter((core) => !taken.has(core)),
    )
    this.#taken.set(group, assignment)
    return assignment
  }

  /**
   * Gives a group the cores that it had before the service was restarted. Returns `undefined`, and gives none, when they were
   * not recorded, when the machine lacks one of them, or when another group has one.
   */
  attach(group: string, record: CoresRecord | undefined): CoreAssignment | undefined {
    if (!record) return undefined
    const isolated = new Map(Object.entries(record.isolated))
    const taken = this.#takenByOthers(group)
    const own = [...isolated.values()]
    if (own.some((core) => taken.has(core))) return undefined
    if (![...own, ...record.shared].every((core) => this.#usable.includes(core))) return undefined
    const assignment = { isolated, shared: record.shared }
    this.#taken.set(group, assignment)
    return assignment
  }

  /** The group has these cores again. */
  restore(group: string, assignment: CoreAssignment): void {
    this.#taken.set(group, assignment)
  }

  /** The cores of a group are free. */
  release(group: string): void {
    this.#taken.delete(group)
  }

  /** Cores of isolated tasks of other groups. */
  #takenByOthers(group: string): Set<number> {
    return new Set(
      [...this.#taken].flatMap(([key, { isolated }]) => (key === group ? [] : [...isolated.values()])),
    )
  }
}

/** Assigned cores as plain data, for `MachineCores.attach`. */
export function recordOf({ isolated, shared }: CoreAssignment): CoresRecord {
  return { isolated: Object.fromEntries(isolated), shared }
}

/** The isolated tasks of each device's agent, by both names. */
function isolatedOnDevices(plan: Plan, devices: readonly DeviceSpec[]): string[] {
  const onDevices = edgeTasks(plan).filter(({ isolate }) => isolate)
  return devices.flatMap((device) => onDevices.map(({ name }) => keyOf(device.name, name)))
}

const keyOf = (device: string, task: string): string => `${device}/${task}`

/** What a device is told of its cores; nothing when no task of the plan is isolated. */
export function coresOfDevice(
  { isolated, shared }: CoreAssignment,
  plan: Plan,
  device: string,
): Pick<DesiredDeployment, 'cores'> {
  if (!plan.tasks.some(({ isolate }) => isolate)) return {}
  const own = edgeTasks(plan).flatMap(({ name }): [string, number][] => {
    const core = isolated.get(keyOf(device, name))
    return core === undefined ? [] : [[name, core]]
  })
  return { cores: { isolated: Object.fromEntries(own), shared } }
}
