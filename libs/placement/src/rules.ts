/**
 * Which placements are meaningful (paper section 4.2): those that the rules of the tiers (`TIERS`) and the pins allow. Every
 * rule judges one task on one tier, so the legal placements are a product of tiers per task and can be counted without
 * listing them. The last parameter of each function is the table of tiers.
 */
import {
  canRun,
  deviceClasses,
  type Fleet,
  isTier,
  type Placement,
  pinnedTier,
  pinsToEdgeNodes,
  type Refusal,
  type TaskFacts,
  TIERS,
  type Tier,
  type TierRow,
  taskFacts,
  tierIds,
  tierRow,
  tiersIn,
} from '@hivemind/swarm'
import { pinsToDevices, placeText, type Task, type Workflow } from '@hivemind/workflow'

/** The name under which placements are counted that a `Place` directive removes. */
const PIN = 'pin'

interface JudgedTask {
  task: Task
  facts: TaskFacts
}

interface Context {
  fleet: Fleet
  tiers: readonly TierRow[]
  /** Tasks of the workflow by name, with what the tiers' rules ask of them. */
  tasks: JudgedTask[]
  /** Names of device classes and devices that a pin may name. */
  targets: ReadonlySet<string>
}

function contextOf(workflow: Workflow, fleet: Fleet, tiers: readonly TierRow[]): Context {
  const classes = deviceClasses(fleet)
  const facts = taskFacts(workflow)
  return {
    fleet,
    tiers,
    tasks: workflow.tasks.map((task, index) => ({ task, facts: facts[index] as TaskFacts })),
    targets: new Set([
      ...classes.map((each) => each.name),
      ...classes.map((_, index) => `device-${index + 1}`),
    ]),
  }
}

/** Why a task cannot run on a tier, by the tier's own rules and then by the task's pin; `null` when it can. */
function refusal({ task, facts }: JudgedTask, tier: TierRow, context: Context): Refusal | null {
  const refused = canRun(tier, facts, context.fleet)
  if (refused) return refused
  const reason = judgePin(task, tier, context)
  return reason === null ? null : { rule: PIN, reason }
}

function judgePin(task: Task, tier: TierRow, { fleet, targets }: Context): string | null {
  const pin = task.directives.place
  if (!pin) return null
  const text = placeText(pin)
  if (pinnedTier(pin, fleet) !== tier.id)
    return `Place(${task.name}, '${text}') does not allow tier '${tier.id}'.`
  if (pinsToEdgeNodes(pin, fleet)) return null
  if (pinsToDevices(pin) && pin.target !== 'all' && !targets.has(pin.target))
    return `Place(${task.name}, '${text}') names no device or class of fleet '${fleet.name}'; its classes: ${fleet.devices
      .map((group) => group.class.name)
      .join(', ')}; its devices: device-1 to device-${deviceClasses(fleet).length}.`
  return null
}

/** The names of all rules, in the order in which placements are counted for them. */
function ruleNames(tiers: readonly TierRow[]): string[] {
  return [...new Set([...tiers.flatMap((tier) => tier.rules.map((rule) => rule.name)), PIN])]
}

/** For every task, in the order of the workflow, the tiers it may run on; none when its pin and role exclude each other. */
export function tiersOf(
  workflow: Workflow,
  fleet: Fleet,
  tiers: readonly TierRow[] = TIERS,
): Record<string, Tier[]> {
  const context = contextOf(workflow, fleet, tiers)
  return Object.fromEntries(
    context.tasks.map((each) => [
      each.task.name,
      tierIds(tiers.filter((tier) => refusal(each, tier, context) === null)),
    ]),
  )
}

/** What is illegal about a placement, one sentence each; empty when it is legal. */
export function checkPlacement(
  workflow: Workflow,
  placement: Placement,
  fleet: Fleet,
  tiers: readonly TierRow[] = TIERS,
): string[] {
  const context = contextOf(workflow, fleet, tiers)
  const problems: string[] = []
  const names = new Set(workflow.tasks.map((task) => task.name))
  for (const name of Object.keys(placement))
    if (!names.has(name)) problems.push(`The placement names '${name}', which is no task of the workflow.`)
  for (const each of context.tasks) {
    const { name } = each.task
    const tier = Object.hasOwn(placement, name) ? placement[name] : undefined
    if (tier === undefined) problems.push(`The placement names no tier for task '${name}'.`)
    else if (!isTier(tier, tiers))
      problems.push(`'${tier}' is no tier; task '${name}' may run on: ${tierIds(tiers).join(', ')}.`)
    else {
      const refused = refusal(each, tierRow(tier, tiers), context)
      if (refused) problems.push(refused.reason)
    }
  }
  return problems
}

/** One change of a task after which fewer tiers refuse it. */
interface Remedy {
  /** The task after the change; `null` when there is nothing to change. */
  after: (each: JudgedTask) => JudgedTask | null
  /** The change as a clause of a sentence. */
  say: (each: JudgedTask) => string
}

const REMEDIES: readonly Remedy[] = [
  {
    after: ({ task, facts }) => {
      const { place, ...directives } = task.directives
      return place ? { task: { ...task, directives }, facts } : null
    },
    say: ({ task }) =>
      `remove Place(${task.name}, '${task.directives.place ? placeText(task.directives.place) : ''}')`,
  },
  {
    after: ({ task, facts }) => (facts.heldBy === null ? null : { task, facts: { ...facts, heldBy: null } }),
    say: ({ facts }) => `let '${facts.heldBy}' leave the device`,
  },
  {
    after: ({ task, facts }) => (facts.swarmWide ? { task, facts: { ...facts, swarmWide: false } } : null),
    say: ({ task, facts }) =>
      facts.barrier ? `remove the barrier of '${task.name}'` : `put '${task.name}' before the barrier`,
  },
  {
    after: ({ task, facts }) =>
      facts.role === 'compute' ? null : { task, facts: { ...facts, role: 'compute' } },
    say: ({ task }) => `give '${task.name}' role='compute'`,
  },
]

/** Why some task can run nowhere and which single changes would help, for each task. */
export function dilemmas(workflow: Workflow, fleet: Fleet, all: readonly TierRow[] = TIERS): string[] {
  const tiers = tiersIn(fleet, all)
  const context = contextOf(workflow, fleet, tiers)
  return context.tasks.flatMap((each) => {
    const reasons = tiers.map((tier) => refusal(each, tier, context)?.reason)
    if (!reasons.every((reason) => reason !== undefined)) return []
    const helpful = REMEDIES.filter(({ after }) => {
      const changed = after(each)
      return changed && tiers.some((tier) => refusal(changed, tier, context) === null)
    })
    const advice =
      helpful.length > 0 ? ` To place it, ${helpful.map(({ say }) => say(each)).join(', or ')}.` : ''
    return [`Task '${each.task.name}' can run nowhere. ${[...new Set(reasons)].join(' ')}${advice}`]
  })
}

/** Size of the full product, of what is legal, and how many placements each rule removed first. */
export interface Count {
  product: bigint
  legal: bigint
  byRule: Record<string, bigint>
}

/**
 * Counts without listing: after each rule the survivors are the product of the tiers left to each task. The full product is that of
 * the tiers that the fleet has.
 */
export function countPlacements(workflow: Workflow, fleet: Fleet, all: readonly TierRow[] = TIERS): Count {
  const tiers = tiersIn(fleet, all)
  const context = contextOf(workflow, fleet, tiers)
  /** For each task, the rule that refuses it on each tier; `null` where it can run. */
  const refusedBy = context.tasks.map((each) =>
    tiers.map((tier) => refusal(each, tier, context)?.rule ?? null),
  )
  const left = context.tasks.map(() => tiers.length)
  const size = () => left.reduce((product, count) => product * BigInt(count), 1n)
  const product = size()
  let before = product
  const byRule: Record<string, bigint> = {}
  for (const name of ruleNames(tiers)) {
    for (const [index, rules] of refusedBy.entries())
      left[index] = (left[index] ?? 0) - rules.filter((rule) => rule === name).length
    const after = size()
    if (after < before) byRule[name] = before - after
    before = after
  }
  return { product, legal: before, byRule }
}
