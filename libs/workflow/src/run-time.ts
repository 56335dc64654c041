/**
 * What a workflow means when it runs, as far as the text alone says it: the kind of every output, how often each task is
 * called, and which tasks keep state. Simulation, plan and run core all take it from here.
 */
import { roleOf, topologicalOrder } from './graph.ts'
import { pinsToDevices } from './pin.ts'
import type { Task, Workflow } from './workflow.ts'

/** `object`: one value. `stream`: any number of items, numbered from 0. */
export type Kind = 'object' | 'stream'

/**
 * How often a task is called.
 * `device`: for each device and item. `swarm`: once for the whole swarm (and item), behind a barrier.
 * `scatter`: behind a barrier, yet for each device again, each with its part of the swarm's result.
 */
export type Scope = 'device' | 'swarm' | 'scatter'

/**
 * The scope of every task. A task with `Synchronize` is swarm-wide, and so is every task below it, except those that must
 * run on devices (pinned to `Edge`, or with the role of a sensor or actuator): these are scattered, and the tasks below
 * them run for each device until the next barrier. Throws on a cycle.
 */
export function scopesOf(workflow: Workflow): Map<string, Scope> {
  const scopes = new Map<string, Scope>()
  for (const task of topologicalOrder(workflow)) {
    const belowSwarm = task.parents.some((parent) => scopes.get(parent) === 'swarm')
    if (task.directives.synchronize) scopes.set(task.name, 'swarm')
    else if (!belowSwarm) scopes.set(task.name, 'device')
    else scopes.set(task.name, mustBeOnDevices(task) ? 'scatter' : 'swarm')
  }
  return scopes
}

/** Tasks that run once for the whole swarm rather than for each device. Throws on a cycle. */
export function swarmWideTasks(workflow: Workflow): Set<string> {
  return new Set([...scopesOf(workflow)].flatMap(([name, scope]) => (scope === 'swarm' ? [name] : [])))
}

function mustBeOnDevices(task: Task): boolean {
  return pinsToDevices(task.directives.place) || roleOf(task) !== 'compute'
}

/** What a task reads and writes: known from the text, never guessed at run time. */
export interface Kinds {
  /** `stream` when it is called for each item of a stream; `object` when it is called once. */
  in: Kind
  /** What all its calls on one device (or for the swarm) give together. */
  out: Kind
}

/**
 * The kinds of every task. A task is called for each item as soon as one of its parents gives a stream, except where a
 * barrier (or the step from devices to the swarm) collects that stream into one list. Its output is a stream when it is
 * called for each item, when `Data` says so, or when it is a sensor of which `Data` does not say otherwise; else it is one
 * object. Throws on a cycle.
 */
export function kindsOf(workflow: Workflow): Map<string, Kinds> {
  const scopes = scopesOf(workflow)
  const declared = new Map(workflow.data.map((data) => [data.name, data.kind]))
  const kinds = new Map<string, Kinds>()
  for (const task of topologicalOrder(workflow)) {
    const collects = (parent: string): boolean =>
      task.directives.synchronize !== undefined ||
      (scopes.get(task.name) === 'swarm' && scopes.get(parent) !== 'swarm')
    const perItem = task.parents.some((parent) => kinds.get(parent)?.out === 'stream' && !collects(parent))
    const said = task.dataOut === null ? undefined : declared.get(task.dataOut)
    const out = perItem ? 'stream' : (said ?? (roleOf(task) === 'sensor' ? 'stream' : 'object'))
    kinds.set(task.name, { in: perItem ? 'stream' : 'object', out })
  }
  return kinds
}

/** Ops of network functional units that look back on earlier values. */
const STATEFUL_OPS = /^nfu:(average|counter|min|max)\b/

/**
 * Under which key a task keeps state, or `null` when it keeps none: the task argument `state='device'` (one state for each
 * device) or `state='FIELD'` (one for each value of that field of the input); a functional unit that looks back on earlier
 * values keeps one for each device. Items of one key come one at a time and in order.
 */
export function stateKeyOf(task: Task): string | null {
  const { state } = task.args
  if (typeof state === 'string' && state !== '') return state
  return STATEFUL_OPS.test(task.code) ? 'device' : null
}
