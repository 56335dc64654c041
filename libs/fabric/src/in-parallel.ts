import { PassThrough } from 'node:stream'

/**
 * Works on all inputs, at most `limit` at once, and yields what the works yield as it comes. Returns their results in the order of the
 * inputs. When one throws, the signal that the others were given fires, and its error is thrown when they have ended; so it is when the
 * caller wants no more, or `signal` aborts.
 */
export async function* inParallel<Input, Event extends object, Result>(
  inputs: readonly Input[],
  limit: number,
  work: (input: Input, signal: AbortSignal) => AsyncGenerator<Event, Result>,
  signal?: AbortSignal,
): AsyncGenerator<Event, Result[]> {
  const events = new PassThrough({ objectMode: true })
  const stop = new AbortController()
  const stopped = AbortSignal.any(signal ? [stop.signal, signal] : [stop.signal])
  const results: Result[] = []
  const failures: unknown[] = []
  const rest = inputs.entries()
  const worker = async (): Promise<void> => {
    for (const [index, input] of rest) {
      if (stop.signal.aborted) return
      const running = work(input, stopped)
      let step = await running.next()
      for (; !step.done; step = await running.next()) events.write(step.value)
      results[index] = step.value
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
  if (failures.length > 0) throw failures[0]
  return results
}
