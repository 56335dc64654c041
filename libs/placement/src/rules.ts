/**
 * Which placements are meaningful (paper section 4.2). Every rule judges one task on one tier, so the legal placements
 * are a product of tiers per task and can be counted without listing them.
 */
import { deviceClasses, type Fleet, type Placement, type Tier } from '@hivemind/swarm'
import { roleOf, swarmWideTasks, type Task, tasksHeldByData, type Workflow } from '@hivemind/workflow'

/** Every tier there is; the full product counts all of them for every task. */
export const TIERS: readonly Tier[] = ['cloud', 'edge', 'fabric']

interface Context {
  fleet: Fleet
  wide: ReadonlySet<string>
  /** Tasks that data holds on the devices, and that data. */
  held: ReadonlyMap<string, string>
  /** Names of device classes and devices that a pin may name. */
  targets: ReadonlySet<string>
}

interface Rule {
  name: string
  /** Why the task cannot run there, or `null`. */
  judge(task: Task, tier: Tier, context: Context): string | null
}

/** In the order in which they are asked: a placement counts for the first rule that removes it. */
const RULES: readonly Rule[] = [
  {
    name: 'sensor-not-in-cloud',
    judge: (task, tier) =>
      tier === 'cloud' && roleOf(task) === 'sensor'
        ? `Task '${task.name}' collects sensor data, which is only possible on the devices.`
        : null,
  },
  {
    name: 'actuator-not-in-cloud',
    judge: (task, tier) =>
      tier === 'cloud' && roleOf(task) === 'actuator'
        ? `Task '${task.name}' moves the device it runs on, so it cannot run in the cloud.`
        : null,
  },
  {
    name: 'data-stays-on-device',
    judge: (task, tier, { held }) =>
      tier !== 'edge' && held.has(task.name)
        ? `Task '${task.name}' writes, reads or is handed '${held.get(task.name)}', which stays on the device, so it must run on the edge.`
        : null,
  },
  {
    name: 'swarm-barrier-not-on-edge',
    judge: (task, tier, { wide }) =>
      tier === 'edge' && wide.has(task.name)
        ? `Task '${task.name}' runs once for the whole swarm (${
            task.directives.synchronize ? 'it is a barrier' : 'it comes after a barrier'
          }), so it must run in the cloud.`
        : null,
  },
  {
    name: 'fabric-needs-nfu',
    judge: (task, tier) =>
      tier === 'fabric' && !task.code.startsWith('nfu:')
        ? `Task '${task.name}' runs '${task.code}'; only a network functional unit ('nfu:...') can run on the fabric.`
        : null,
  },
  { name: 'pin', judge: judgePin },
  {
    name: 'fabric-not-available',
    judge: (task, tier, { fleet }) =>
      tier === 'fabric'
        ? `Task '${task.name}' cannot run on the fabric: fleet '${fleet.name}' has none.`
        : null,
  },
]

function judgePin(task: Task, tier: Tier, { fleet, targets }: Context): string | null {
  const pin = task.directives.place
  if (!pin) return null
  const text = pin.tier === 'edge' ? `Edge:${pin.target}` : pin.tier === 'cloud' ? 'Cloud' : 'Fabric'
  if (pin.tier !== tier) return `Place(${task.name}, '${text}') does not allow tier '${tier}'.`
  if (pin.tier === 'edge' && pin.target !== 'all' && !targets.has(pin.target))
    return `Place(${task.name}, '${text}') names no device or class of fleet '${fleet.name}'; its classes: ${fleet.devices
      .map((group) => group.class.name)
      .join(', ')}; its devices: device-1 to device-${deviceClasses(fleet).length}.`
  return null
}

function contextOf(workflow: Workflow, fleet: Fleet): Context {
  const classes = deviceClasses(fleet)
  return {
    fleet,
    wide: swarmWideTasks(workflow),
    held: tasksHeldByData(workflow),
    targets: new Set([
      ...classes.map((each) => each.name),
      ...classes.map((_, index) => `device-${index + 1}`),
    ]),
  }
}

/** For every task, in the order of the workflow, the tiers it may run on; none when its pin and role exclude each other. */
export function tiersOf(workflow: Workflow, fleet: Fleet): Record<string, Tier[]> {
  const context = contextOf(workflow, fleet)
  return Object.fromEntries(
    workflow.tasks.map((task) => [
      task.name,
      TIERS.filter((tier) => RULES.every((rule) => rule.judge(task, tier, context) === null)),
    ]),
  )
}

/** What is illegal about a placement, one sentence each; empty when it is legal. */
export function checkPlacement(workflow: Workflow, placement: Placement, fleet: Fleet): string[] {
  const context = contextOf(workflow, fleet)
  const problems: string[] = []
  const names = new Set(workflow.tasks.map((task) => task.name))
  for (const name of Object.keys(placement))
    if (!names.has(name)) problems.push(`The placement names '${name}', which is no task of the workflow.`)
  for (const task of workflow.tasks) {
    const tier = Object.hasOwn(placement, task.name) ? placement[task.name] : undefined
    if (tier === undefined || !TIERS.includes(tier)) {
      problems.push(
        tier === undefined
          ? `The placement names no tier for task '${task.name}'.`
          : `'${tier}' is no tier; task '${task.name}' may run on: ${TIERS.join(', ')}.`,
      )
      continue
    }
    const reason = RULES.map((rule) => rule.judge(task, tier, context)).find((each) => each !== null)
    if (reason) problems.push(reason)
  }
  return problems
}

/** Why some task can run nowhere, one sentence each. */
export function dilemmas(workflow: Workflow, fleet: Fleet): string[] {
  const context = contextOf(workflow, fleet)
  const allowed = tiersOf(workflow, fleet)
  return workflow.tasks
    .filter((task) => allowed[task.name]?.length === 0)
    .map((task) => {
      const reasons = TIERS.map((tier) => RULES.map((rule) => rule.judge(task, tier, context)).find(Boolean))
      return `Task '${task.name}' can run nowhere. ${[...new Set(reasons)].join(' ')}`
    })
}

/** Size of the full product, of what is legal, and how many placements each rule removed first. */
export interface Count {
  product: bigint
  legal: bigint
  byRule: Record<string, bigint>
}

/** Counts without listing: after each rule the survivors are the product of the tiers left to each task. */
export function countPlacements(workflow: Workflow, fleet: Fleet): Count {
  const context = contextOf(workflow, fleet)
  const left = workflow.tasks.map(() => [...TIERS])
  const size = () => left.reduce((product, tiers) => product * BigInt(tiers.length), 1n)
  const product = size()
  let before = product
  const byRule: Record<string, bigint> = {}
  for (const rule of RULES) {
    for (const [index, task] of workflow.tasks.entries())
      left[index] = (left[index] ?? []).filter((tier) => rule.judge(task, tier, context) === null)
    const after = size()
    if (after < before) byRule[rule.name] = before - after
    before = after
  }
  return { product, legal: before, byRule }
}
