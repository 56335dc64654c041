/** What a plan means for a run: which tasks a device runs by itself, and in which order things settle. */
import type { Plan, PlanTask } from '@hivemind/synthesis'

/** The lane of everything behind a barrier. */
export const SWARM = '*'

/** Edge tasks wired together: a device runs them without asking; they are lost and redone together. */
export interface Component {
  id: string
  tasks: PlanTask[]
  /** Tasks entered from outside: roots, and tasks with a parent that is not wired to them. */
  entries: PlanTask[]
  /** For each task the entries whose items can reach it on the device, itself included if it is one. */
  entriesAbove: Map<string, Set<string>>
  /** Some task in it joins several parents on the device. */
  joins: boolean
}

export interface Topology {
  plan: Plan
  task(name: string): PlanTask
  /** Parents before children. */
  order: PlanTask[]
  /** Whether the output of `parent` reaches `child` on the device itself. */
  wired(parent: string, child: string): boolean
  /** Whether a task that runs for each device runs for this one: neither its pin nor that of a task before it is another. */
  runsOn(name: string, device: string): boolean
  /** True for an edge task that only the device starts. */
  internal(name: string): boolean
  /** Parents whose output comes to the task through the engine. */
  outsideParents(task: PlanTask): string[]
  component(name: string): Component | undefined
  components: Component[]
  /** Whether one of the two always runs before the other. */
  ordered(a: string, b: string): boolean
}

/** Reads a plan. Throws an `Error` when it names tasks that do not exist or has a cycle. */
export function topologyOf(plan: Plan): Topology {
  const byName = new Map(plan.tasks.map((task) => [task.name, task]))
  const task = (name: string): PlanTask => {
    const found = byName.get(name)
    if (!found)
      throw new Error(`The plan of '${plan.workflow}' names the task '${name}', which it does not have.`)
    return found
  }
  const onDevice = (name: string) => task(name).tier === 'edge' && task(name).scope === 'device'
  const wires = new Set(
    plan.links
      .filter((link) => link.transport === 'wire' && onDevice(link.from) && onDevice(link.to))
      .map((link) => `${link.from} ${link.to}`),
  )
  const wired = (parent: string, child: string) => wires.has(`${parent} ${child}`)
  const internal = (name: string) => {
    const { parents } = task(name)
    return parents.length > 0 && parents.every((parent) => wired(parent, name))
  }
  const order = inOrder(plan, task)
  const components = componentsOf(order, wired, internal)
  const componentByTask = new Map(components.flatMap((one) => one.tasks.map((each) => [each.name, one])))
  const ancestors = new Map<string, Set<string>>()
  for (const each of order)
    ancestors.set(
      each.name,
      new Set(each.parents.flatMap((parent) => [parent, ...(ancestors.get(parent) ?? [])])),
    )
  const pins = new Map<string, Set<string>>()
  for (const { name, device, scope, parents } of order) {
    const before = scope === 'device' ? parents.flatMap((parent) => [...(pins.get(parent) ?? [])]) : []
    pins.set(name, new Set(device === undefined ? before : [...before, device]))
  }
  return {
    plan,
    task,
    order,
    wired,
    runsOn: (name, device) => [...(pins.get(name) ?? [])].every((pin) => pin === device),
    internal,
    outsideParents: (child) => child.parents.filter((parent) => !wired(parent, child.name)),
    component: (name) => componentByTask.get(name),
    components,
    ordered: (a, b) => Boolean(ancestors.get(a)?.has(b) || ancestors.get(b)?.has(a)),
  }
}

function inOrder(plan: Plan, task: (name: string) => PlanTask): PlanTask[] {
  const left = new Map(plan.tasks.map((each) => [each.name, each.parents.length]))
  const ready = plan.tasks.filter((each) => each.parents.length === 0)
  const order: PlanTask[] = []
  for (let next = ready.shift(); next; next = ready.shift()) {
    order.push(next)
    for (const child of next.children) {
      const missing = (left.get(child) ?? 0) - 1
      left.set(child, missing)
      if (missing === 0) ready.push(task(child))
    }
  }
  if (order.length < plan.tasks.length) throw new Error(`The plan of '${plan.workflow}' has a cycle.`)
  return order
}

function componentsOf(
  order: PlanTask[],
  wired: (parent: string, child: string) => boolean,
  internal: (name: string) => boolean,
): Component[] {
  const root = new Map(order.filter(({ tier }) => tier === 'edge').map(({ name }) => [name, name]))
  const find = (name: string): string => {
    const up = root.get(name) ?? name
    return up === name ? name : find(up)
  }
  for (const task of order)
    for (const parent of task.parents) if (wired(parent, task.name)) root.set(find(task.name), find(parent))
  const groups = new Map<string, PlanTask[]>()
  for (const task of order)
    if (task.tier === 'edge') groups.set(find(task.name), [...(groups.get(find(task.name)) ?? []), task])
  return [...groups].map(([id, tasks]) => {
    const entriesAbove = new Map<string, Set<string>>()
    for (const task of tasks) {
      const wiredParents = task.parents.filter((parent) => wired(parent, task.name))
      const above = wiredParents.flatMap((parent) => [...(entriesAbove.get(parent) ?? [])])
      entriesAbove.set(task.name, new Set(internal(task.name) ? above : [...above, task.name]))
    }
    return {
      id,
      tasks,
      entries: tasks.filter((task) => !internal(task.name)),
      entriesAbove,
      joins: tasks.some(
        (task) => task.parents.length > 1 && task.parents.some((parent) => wired(parent, task.name)),
      ),
    }
  })
}
