/** Questions about the DAG of a workflow. All are pure and linear in tasks and edges. */
import type { Edge, Task, Workflow } from './workflow.ts'

/** The edges, each with the data its child reads from its parent, ordered by parent then child. */
export function edgesOf(workflow: Workflow): Edge[] {
  const byName = new Map(workflow.tasks.map((task) => [task.name, task]))
  const edges: Edge[] = []
  for (const task of workflow.tasks)
    for (const childName of task.children) {
      const child = byName.get(childName)
      if (!child) continue
      const data = task.dataOut !== null && child.dataIn.includes(task.dataOut) ? [task.dataOut] : []
      edges.push({ from: task.name, to: childName, data })
    }
  return edges
}

/** Tasks so that every parent comes before its children; stable in the given order. Throws on a cycle, naming a task in it. */
export function topologicalOrder(workflow: Workflow): Task[] {
  const missing = new Map(workflow.tasks.map((task) => [task.name, task.parents.length]))
  const byName = new Map(workflow.tasks.map((task) => [task.name, task]))
  const ready = workflow.tasks.filter((task) => task.parents.length === 0)
  const order: Task[] = []
  for (let next = ready.shift(); next; next = ready.shift()) {
    order.push(next)
    for (const child of next.children) {
      const left = (missing.get(child) ?? 0) - 1
      missing.set(child, left)
      const task = byName.get(child)
      if (left === 0 && task) ready.push(task)
    }
  }
  if (order.length < workflow.tasks.length) {
    const sorted = new Set(order)
    const stuck = workflow.tasks.find((task) => !sorted.has(task))
    throw new Error(`The workflow has a cycle through task '${stuck?.name}'.`)
  }
  return order
}

/** All tasks that run, at least in part, before `name`. */
export function ancestorsOf(workflow: Workflow, name: string): Set<string> {
  const byName = new Map(workflow.tasks.map((task) => [task.name, task]))
  const seen = new Set<string>()
  const open = [...(byName.get(name)?.parents ?? [])]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    open.push(...(byName.get(next)?.parents ?? []))
  }
  return seen
}

/** Data that a root task reads and nobody writes: what a run must be given. */
export function inputsOf(workflow: Workflow): string[] {
  const written = new Set(workflow.tasks.map((task) => task.dataOut))
  return [...new Set(workflow.tasks.flatMap((task) => task.dataIn.filter((data) => !written.has(data))))]
}

/** Tasks without children: what they write is the result of a run. */
export function sinksOf(workflow: Workflow): Task[] {
  return workflow.tasks.filter((task) => task.children.length === 0)
}

/** What a task does with the physical world: reads it, acts on it, or neither. */
export type Role = 'sensor' | 'actuator' | 'compute'

/**
 * The role of a task. A task argument `role='sensor' | 'actuator' | 'compute'` decides. Without it a task that reads
 * no data and writes some is a sensor (its input is the physical world); every other task computes.
 * A sensor cannot run in the cloud, nor can an actuator (paper section 4.2, "meaningful" execution models).
 */
export function roleOf(task: Task): Role {
  const role = task.args.role
  if (role === 'sensor' || role === 'actuator' || role === 'compute') return role
  return task.dataIn.length === 0 && task.dataOut !== null ? 'sensor' : 'compute'
}

/**
 * Tasks that must run on the devices because of data that stays there (`Data(..., stays='device')`), each with the name of
 * that data: those that write or read it, and the children of its writer, since a run hands its output to all of them.
 */
export function tasksHeldByData(workflow: Workflow): Map<string, string> {
  const reasons = new Map<string, string>()
  for (const { name, stays } of workflow.data) {
    if (!stays) continue
    const writers = workflow.tasks.filter((task) => task.dataOut === name)
    const readers = workflow.tasks.filter((task) => task.dataIn.includes(name))
    const next = writers.flatMap((task) => task.children)
    for (const task of [...writers, ...readers].map((each) => each.name).concat(next))
      if (!reasons.has(task)) reasons.set(task, name)
  }
  return reasons
}
