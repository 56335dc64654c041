/** The device's part of a plan: which tasks get input from outside, and whose output leaves the device. */
import { tierRow } from '@hivemind/swarm'
import type { Plan, PlanTask } from './plan.ts'

/** The tasks of a plan that run on the devices. */
export function edgeTasks(plan: Plan): PlanTask[] {
  return plan.tasks.filter((task) => tierRow(task.tier).perDevice)
}

/** The tasks of a plan that the service calls: functions in the cloud and on edge nodes, and network functions on the fabric. */
export function functionTasks(plan: Plan): PlanTask[] {
  return plan.tasks.filter((task) => !tierRow(task.tier).perDevice)
}

/** The tasks of a plan that run on edge nodes: a function on each node, for the devices that it serves. */
export function edgeNodeTasks(plan: Plan): PlanTask[] {
  return plan.tasks.filter((task) => tierRow(task.tier).hardware === 'nodes')
}

/** The tasks of a plan that each need a board of the fabric. */
export function fabricTasks(plan: Plan): PlanTask[] {
  return plan.tasks.filter((task) => tierRow(task.tier).hardware === 'fabric')
}

/** Parents whose output reaches the task on the device itself. */
export function wiredParents(plan: Plan, task: PlanTask): string[] {
  return plan.links
    .filter((link) => link.to === task.name && link.transport === 'wire')
    .map((link) => link.from)
}

/** Whether an edge task gets its start, or some of its input, from outside the device. */
export function isEntered(plan: Plan, task: PlanTask): boolean {
  return task.parents.length === 0 || wiredParents(plan, task).length < task.parents.length
}

/** The data that an edge task gets from outside the device: what no wired parent writes. */
export function outsideData(plan: Plan, task: PlanTask): string[] {
  const wired = new Set(wiredParents(plan, task))
  const onDevice = new Set(plan.tasks.filter((other) => wired.has(other.name)).map((other) => other.dataOut))
  return task.dataIn.filter((data) => !onDevice.has(data))
}

/**
 * Where the values of a task are kept that are too large to travel: those that outlive the run in a pool named after it,
 * the others in one that is dropped at its end.
 */
export function poolOf(run: string, task: PlanTask): string {
  return isKept(task) ? run : passingPoolOf(run)
}

/** Whether the values of a task outlive the run: its results, and what is under `Persist`. */
export const isKept = (task: PlanTask): boolean => task.children.length === 0 || task.persist

const PASSING = '.passing'

/** The pool of a run that is dropped at its end. */
export const passingPoolOf = (run: string): string => `${run}${PASSING}`

/** The run that a pool is of, whichever of its two. */
export const runOfPool = (pool: string): string =>
  isPassingPool(pool) ? pool.slice(0, -PASSING.length) : pool

/** Whether a pool is the one of a run that is dropped at its end. */
export const isPassingPool = (pool: string): boolean => pool.endsWith(PASSING)

/** Whether the output of an edge task leaves the device: for another tier, as a result, or under `Persist`. */
export function leavesDevice(plan: Plan, task: PlanTask): boolean {
  if (task.dataOut === null) return false
  const onlyWired = plan.links.every((link) => link.from !== task.name || link.transport === 'wire')
  return !onlyWired || task.children.length === 0 || task.persist
}
