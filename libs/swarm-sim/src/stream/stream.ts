/** Streams: what the items of one sensor on each device pass is a DAG of tasks that each run once for every item. */
import type { Model } from '../model/model.ts'

/** Invocations that several inputs may be awaited for: each has a place of its own. */
const JOINED_MOST = 1 << 22

/** Whether a model is one sensor and tasks behind it that run once for each of its items, wherever they are placed. */
export function isStream({ tasks, host, classes, classOf }: Model): boolean {
  const [sensor, ...others] = tasks
  if (!sensor?.gap || sensor.parents.length > 0 || sensor.inputBytes > 0 || sensor.serialWith.length > 0)
    return false
  if (host !== null || classes.some(({ awaitsArrival }) => awaitsArrival)) return false
  const items = Math.floor(sensor.outputs)
  const joins = others.filter(({ parents }) => parents.length > 1).length
  if (joins * classOf.length * items > JOINED_MOST) return false
  return others.every(
    (task) =>
      task.parents.length > 0 &&
      task.gap === null &&
      task.barrier === null &&
      task.serialWith.length === 0 &&
      task.outputs === 1 &&
      !task.swarmWide &&
      task.invocations === items,
  )
}
