/** Streams: what the items of one sensor on each device pass is a DAG of tasks that each run once for every item. */
import type { Model } from '../model/model.ts'

/** Whether a model is one sensor and tasks behind it that run once for each of its items, wherever they are placed. */
export function isStream({ tasks, host, classes }: Model): boolean {
  const [sensor, ...others] = tasks
  if (!sensor?.gap || sensor.parents.length > 0 || sensor.inputBytes > 0 || sensor.serialWith.length > 0)
    return false
  if (host !== null || classes.some(({ awaitsArrival }) => awaitsArrival)) return false
  return others.every(
    (task) =>
      task.parents.length > 0 &&
      task.gap === null &&
      task.barrier === null &&
      task.serialWith.length === 0 &&
      task.outputs === 1 &&
      !task.swarmWide &&
      task.invocations === Math.floor(sensor.outputs),
  )
}
