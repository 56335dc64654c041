/** Cold starts and core time of cloud functions in closed form. */
import { laneCount, type Model, type ModelTask } from '../model/model.ts'

export interface ContainerUse {
  /** Share of invocations that wait for a cold start. */
  coldShare: number
  /** Containers that are started at least once. */
  containers: number
}

/**
 * A stream of invocations needs as many containers as are in use at once: on average rate times holding time, at the
 * start longer by the cold start, and at peaks two standard deviations of a Poisson number more. Each is started cold
 * once; when invocations are rarer than the keep-alive time, each invocation is.
 */
export function containerUse(model: Model, task: ModelTask, spanMs: number, serviceMs: number): ContainerUse {
  const invocations = task.invocations * laneCount(task)
  if (invocations === 0) return { coldShare: 0, containers: 0 }
  const { coldStartMs, keepAliveMs, slots } = model.cloud
  if (spanMs <= 0) return { coldShare: 1, containers: Math.min(invocations, slots) }
  const rate = invocations / spanMs
  if (1 / rate > keepAliveMs) return { coldShare: 1, containers: 1 }
  const needed = rate * (serviceMs + coldStartMs) + 2 * Math.sqrt(rate * serviceMs) + 1
  const containers = Math.min(needed, invocations, slots)
  return { coldShare: containers / invocations, containers }
}

/** Core time of a task's containers over a run, idle time under keep-alive included, in ms. */
export function containerTime(
  model: Model,
  task: ModelTask,
  use: ContainerUse,
  at: { spanMs: number; serviceMs: number; endMs: number; doneMs: number },
): number {
  const { coldStartMs, keepAliveMs } = model.cloud
  const busy = task.invocations * laneCount(task) * (at.serviceMs + use.coldShare * coldStartMs)
  const trailing = Math.max(0, Math.min(keepAliveMs, at.endMs - at.doneMs))
  if (at.spanMs <= 0) return busy + use.containers * trailing
  const inUse = busy / at.spanMs
  const kept = Math.min(use.containers, inUse + 2 * Math.sqrt(inUse) + 1)
  const surplus = Math.max(0, use.containers - kept)
  return (
    busy +
    Math.max(0, kept - inUse) * at.spanMs +
    kept * trailing +
    surplus * Math.min(keepAliveMs, at.spanMs)
  )
}
