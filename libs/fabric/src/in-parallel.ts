import { PassThrough } from 'node:stream'

/**
 * Works on all inputs, at most `limit` at once, and yields what the works yield as it comes. Returns their results in the order of the
 * inputs, up to the first of which `isEnough` is true: what was begun behind that one is ended. When one throws, the signal that the
 * others were given fires, and its error is thrown when they have ended; so it is when the caller wants no more, or `signal` aborts.
 */
export async function* inParallel<Input, Event extends object, Result>(
  inputs: readonly Input[],
  limit: number,
  work: (input: Input, signal: AbortSignal) => AsyncGenerator<Event, Result>,
  isEnough: (result: Result) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<Event, Result[]> {
  const events = new PassThrough({ objectMode: true })
  const stop = new AbortController()
  const stopped = AbortSignal.any(signal ? [stop.signal, signal] : [stop.signal])
  const results: Result[] = []
  const failures: unknown[] = []
  /** How many results are wanted, once it is known. */
  let wanted: number | undefined
  const rest = inputs.entries()
  const worker = async (): Promise<void> => {
    for (const [index, input] of rest) {
      if (stop.signal.aborted || results.some(isEnough)) return
      const running = work(input, stopped)
      let step = await running.next()
      for (; !step.done; step = await running.next()) events.write(step.value)
      results[index] = step.value
      const first = results.findIndex((result, n) => !(n in results) || isEnough(result))
      if (first < 0 || !(first in results)) continue
      wanted = first + 1
      stop.abort()
    }
  }
  const workers = Array.from({ length: Math.min(limit, inputs.length) }, () =>
    worker().catch((error) => {
      failures.push(error)
      stop.abort()
    }),
  )
  const all = Promise.all(workers).then(() => events.end())
  try {
    yield* events as AsyncIterable<Event>
  } finally {
    stop.abort()
    await all
  }
  if (wanted !== undefined) return results.slice(0, wanted)
  if (failures.length > 0) throw failures[0]
  return results
}
