/** What asks for a resource of a model, how often and for how long. */
import { type Distribution, momentsOf } from '@hivemind/swarm'
import type { Model, ModelTask, NodeChannel } from '../model/model.ts'

/**
 * `core`: one device of the class in question; `up` and `down`: one access point (the same when they share the air);
 * `host`: the cores that devices and cloud share, if they do; `store`: the one through which functions hand data over; `node` and
 * the channels of its links: one edge node.
 */
export type ResourceName = 'core' | 'up' | 'down' | 'cloud' | 'host' | 'store' | 'node' | NodeChannel

/** Mean and variance of one service, in ms. */
export interface Moments {
  mean: number
  variance: number
}

/** One kind of customer of a resource. */
export interface Visit {
  resource: ResourceName
  /** Task that the customer is an invocation or an output of. */
  task: number
  /** Customers of the run at one core, access point, or the cloud. */
  customers: number
  service: Moments
  /** Transfers happen behind a task, invocations in front of it. */
  isOutput: boolean
  /** All arrive at once, at the start of the run or when the barrier opens. */
  burst: boolean
}

/** No time at all. */
export const NO_AIR: Moments = { mean: 0, variance: 0 }

const moments = new WeakMap<Distribution, Moments>()

/** Mean and variance of a distribution, computed once for each. */
export function momentsFor(distribution: Distribution): Moments {
  let known = moments.get(distribution)
  if (!known) {
    known = momentsOf(distribution)
    moments.set(distribution, known)
  }
  return known
}

/** Time of one invocation on its tier, for devices of a class. */
export function serviceOf(model: Model, task: ModelTask, classIndex: number): Moments {
  if (task.hardware === 'fabric') return momentsFor(task.service)
  const speed =
    task.hardware === 'cloud'
      ? model.cloud.cpuSpeed
      : ((task.hardware === 'nodes' ? model.nodes : model.classes[classIndex])?.cpuSpeed ?? 1)
  const { mean, variance } = momentsFor(task.service)
  return { mean: mean / speed, variance: variance / (speed * speed) }
}
