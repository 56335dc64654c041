/**
 * Judges whether transactions could have happened under snapshot isolation (Berenson et al., 1995; Adya, Liskov and O'Neil, 2000).
 *
 * The value of an object is the list of all that was appended to it, so that each version that is seen tells the versions before it (as in
 * Kingsbury and Alvaro, "Elle", 2020). Each transaction has a moment at which it takes its snapshot and one at which it commits. What it
 * has seen, and that no two transactions with writes of one object overlap, orders these moments; the history is right when that order has no cycle.
 */

/** What a transaction did with an object: it has seen a list, or appended an element that nobody else appends. */
export type Step = { object: string; seen: readonly string[] } | { object: string; appended: string }

/** A transaction of a history. */
export interface Recorded {
  /** When it was called and answered, by one clock. One without an answer ends at infinity. */
  start: number
  end: number
  /** `unknown`: it may have committed. */
  outcome: 'committed' | 'aborted' | 'unknown'
  steps: readonly Step[]
}

interface Written {
  transaction: Recorded
  /** Whether it is the last one that the transaction appended to the object. */
  isLast: boolean
}

const nameOf = (object: string, element: string): string => `${object} ${element}`

/** What is wrong with a history; an empty list when snapshot isolation explains it. */
export function findAnomalies(history: readonly Recorded[]): string[] {
  const written = writtenBy(history)
  const anomalies = history.flatMap((transaction) =>
    transaction.outcome === 'aborted' ? [] : faultsOf(transaction, written),
  )
  const orders = ordersOf(history, anomalies)
  const inLists = new Set([...orders].flatMap(([object, order]) => order.map((each) => nameOf(object, each))))
  // One whose outcome is not known has committed when its writes are seen.
  const committed = history.filter(
    ({ outcome, steps }) =>
      outcome === 'committed' ||
      (outcome === 'unknown' &&
        steps.some((step) => 'appended' in step && inLists.has(nameOf(step.object, step.appended)))),
  )
  for (const { outcome, steps } of committed)
    for (const step of steps)
      if ('appended' in step && !inLists.has(nameOf(step.object, step.appended)) && orders.has(step.object))
        anomalies.push(
          `lost update: ${step.appended}, appended to ${step.object}, is gone${outcome === 'unknown' ? ', others of its transaction are not' : ''}`,
        )
  anomalies.push(...fracturedReads(committed, orders, written))
  if (anomalies.length > 0) return anomalies
  return hasCycle(momentsOf(committed, orders, written))
    ? ['no snapshots explain the reads: the moments of the transactions form a cycle']
    : []
}

function writtenBy(history: readonly Recorded[]): Map<string, Written> {
  const written = new Map<string, Written>()
  for (const transaction of history) {
    const last = new Map<string, string>()
    for (const step of transaction.steps) {
      if (!('appended' in step)) continue
      const earlier = written.get(last.get(step.object) ?? '')
      if (earlier) earlier.isLast = false
      const name = nameOf(step.object, step.appended)
      last.set(step.object, name)
      written.set(name, { transaction, isLast: true })
    }
  }
  return written
}

/** What can be told from the reads of one transaction: reads of what was aborted (G1a), of unfinished work (G1b), and its own contradictions. */
function faultsOf(transaction: Recorded, written: ReadonlyMap<string, Written>): string[] {
  const faults: string[] = []
  /** What the transaction must see of an object, once it has seen it. */
  const expected = new Map<string, string[]>()
  for (const step of transaction.steps) {
    const { object } = step
    if ('appended' in step) {
      expected.set(object, [...(expected.get(object) ?? []), step.appended])
      continue
    }
    const { seen } = step
    const before = expected.get(object)
    if (before && before.join() !== seen.join())
      faults.push(`a snapshot that changes: ${object} was [${before}] and is [${seen}]`)
    expected.set(object, [...seen])
    if (new Set(seen).size < seen.length) faults.push(`applied twice: ${object} is [${seen}]`)
    for (const [at, element] of seen.entries()) {
      const writer = written.get(nameOf(object, element))
      if (!writer) faults.push(`from nowhere: ${element} in ${object}`)
      else if (writer.transaction.outcome === 'aborted')
        faults.push(`G1a, aborted read: ${element} in ${object}`)
      else if (at === seen.length - 1 && !writer.isLast && writer.transaction !== transaction)
        faults.push(`G1b, intermediate read: ${object} ends with ${element}`)
    }
  }
  return faults
}

/** Orders of the versions by object: the longest list that was seen. Lists that are no beginning of it are reported. */
function ordersOf(history: readonly Recorded[], anomalies: string[]): Map<string, readonly string[]> {
  const lists = new Map<string, (readonly string[])[]>()
  for (const { outcome, steps } of history) {
    if (outcome === 'aborted') continue
    const own = new Set(steps.flatMap((step) => ('appended' in step ? [step.appended] : [])))
    for (const step of steps) {
      if (!('seen' in step)) continue
      // What it appended itself may never be seen by others.
      const seen = step.seen.filter((element) => !own.has(element))
      lists.set(step.object, [...(lists.get(step.object) ?? []), seen])
    }
  }
  const orders = new Map<string, readonly string[]>()
  for (const [object, seen] of lists) {
    const longest = seen.reduce((one, other) => (other.length > one.length ? other : one))
    orders.set(object, longest)
    for (const list of seen)
      if (list.some((element, at) => element !== longest[at]))
        anomalies.push(`lost update: ${object} was seen as [${list}] and as [${longest}]`)
  }
  return orders
}

/** Reads that have one write of a transaction and lack another. */
function fracturedReads(
  committed: readonly Recorded[],
  orders: ReadonlyMap<string, readonly string[]>,
  written: ReadonlyMap<string, Written>,
): string[] {
  const faults: string[] = []
  for (const reader of committed) {
    const first = firstReads(reader)
    const writers = new Set<Recorded>()
    for (const [object, seen] of first)
      for (const element of seen) {
        const writer = written.get(nameOf(object, element))?.transaction
        if (writer) writers.add(writer)
      }
    for (const writer of writers)
      for (const step of writer.steps)
        if (
          'appended' in step &&
          first.has(step.object) &&
          orders.get(step.object)?.includes(step.appended) &&
          !first.get(step.object)?.includes(step.appended)
        )
          faults.push(
            `fractured read: ${step.appended} in ${step.object} is missing, others of its transaction are not`,
          )
  }
  return faults
}

/** What a transaction saw of each object before it wrote it. */
function firstReads({ steps }: Recorded): Map<string, readonly string[]> {
  const first = new Map<string, readonly string[]>()
  const own = new Set<string>()
  for (const step of steps) {
    if ('appended' in step) own.add(step.object)
    else if (!own.has(step.object) && !first.has(step.object)) first.set(step.object, step.seen)
  }
  return first
}

/** The order of moments: for the n-th transaction, 2n is its snapshot and 2n + 1 its commit; further ones are times of the clock. */
function momentsOf(
  committed: readonly Recorded[],
  orders: ReadonlyMap<string, readonly string[]>,
  written: ReadonlyMap<string, Written>,
): number[][] {
  const after: number[][] = Array.from({ length: 3 * committed.length }, () => [])
  const numbers = new Map(committed.map((transaction, n) => [transaction, n]))
  const edge = (from: number, to: number) => void after[from]?.push(to)
  const writerOf = (object: string, element: string | undefined): number | undefined =>
    element === undefined
      ? undefined
      : numbers.get(written.get(nameOf(object, element))?.transaction as Recorded)
  for (const [n, transaction] of committed.entries()) {
    edge(2 * n, 2 * n + 1)
    for (const [object, seen] of firstReads(transaction)) {
      const last = writerOf(object, seen.at(-1))
      if (last !== undefined && last !== n) edge(2 * last + 1, 2 * n)
      const order = orders.get(object) ?? []
      for (let at = seen.length; at < order.length; at++) {
        const next = writerOf(object, order[at])
        if (next === undefined || next === n) continue
        edge(2 * n, 2 * next + 1)
        break
      }
    }
  }
  // Transactions that write one object do not overlap.
  for (const [object, order] of orders)
    for (const [at, element] of order.entries()) {
      const [one, other] = [writerOf(object, element), writerOf(object, order[at + 1])]
      if (one !== undefined && other !== undefined && one !== other) edge(2 * one + 1, 2 * other)
    }
  // A snapshot has what was acknowledged before it was asked for.
  const ended = committed
    .map(({ end }, n) => ({ end, n }))
    .filter(({ end }) => end < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.end - b.end)
  const time = (at: number) => 2 * committed.length + at
  for (const [at, { n }] of ended.entries()) {
    edge(2 * n + 1, time(at))
    if (at + 1 < ended.length) edge(time(at), time(at + 1))
  }
  const started = committed.map(({ start }, n) => ({ start, n })).sort((a, b) => a.start - b.start)
  let before = -1
  for (const { start, n } of started) {
    while ((ended[before + 1]?.end ?? Number.POSITIVE_INFINITY) < start) before++
    if (before >= 0) edge(time(before), 2 * n)
  }
  return after
}

/** Whether a graph has a cycle, by removing what nothing comes before. */
function hasCycle(after: readonly number[][]): boolean {
  const incoming = new Array<number>(after.length).fill(0)
  for (const targets of after) for (const to of targets) incoming[to] = (incoming[to] ?? 0) + 1
  const free = incoming.flatMap((count, at) => (count === 0 ? [at] : []))
  let removed = 0
  for (let at = free.pop(); at !== undefined; at = free.pop()) {
    removed++
    for (const to of after[at] ?? []) {
      incoming[to] = (incoming[to] ?? 0) - 1
      if (incoming[to] === 0) free.push(to)
    }
  }
  return removed < after.length
}
