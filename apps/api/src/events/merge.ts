/** An event with its id; ids grow over all events of the service, also over restarts. */
export interface Numbered<T> {
  id: number
  event: T
}

/** Merges sources, each in order of ids, into one. Ends what it has not read to the end. */
export async function* mergeById<T>(
  sources: readonly AsyncIterable<Numbered<T>>[],
): AsyncGenerator<Numbered<T>> {
  const open = sources.map((source) => source[Symbol.asyncIterator]())
  try {
    const heads = await Promise.all(open.map((source) => source.next()))
    for (;;) {
      let first = -1
      for (const [index, head] of heads.entries()) {
        const best = heads[first]
        if (!head.done && (!best || best.done || head.value.id < best.value.id)) first = index
      }
      const [head, source] = [heads[first], open[first]]
      if (!head || head.done || !source) return
      yield head.value
      heads[first] = await source.next()
    }
  } finally {
    await Promise.all(open.map((source) => source.return?.()))
  }
}
