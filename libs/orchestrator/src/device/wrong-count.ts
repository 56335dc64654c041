import type { PlanTask } from '@hivemind/synthesis'

/** Why a call may not emit so many items; `undefined` when it may. The task has failed then, not the whole lane. */
export function wrongCount(task: PlanTask, items: number): string | undefined {
  const { name, kindIn, kindOut, dataOut, exactlyOne } = task
  if (kindIn === 'stream' && items > 1)
    return `Task '${name}' emitted ${items} items for one item of a stream. A task that reads a stream may emit at most one for each; return a list instead.`
  if (kindOut === 'object' && items > 1)
    return `Task '${name}' emitted ${items} values, but its output '${dataOut ?? name}' is one object. Return a list, or write Data(${dataOut ?? name}, kind='stream').`
  if (exactlyOne && items === 0)
    return `Task '${name}' emitted nothing, but Data(${dataOut}, kind='object') promises one value for each call.`
  return undefined
}
