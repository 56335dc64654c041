/**
 * Records what concurrent clients do with eventual objects and see of them: sets, which their merge function unites, and registers, whose last
 * writer wins. Judges whether a read was within its recency bound, and whether an acknowledged write was lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventualObject, type ExchangeClient, ExchangeError, StaleError } from '../src/index.ts'

/** A write of an element, by a clock in ms. */
interface Write {
  element: string
  calledAt: number
  /** When the edge node acknowledged it; infinity when it is not known to have. */
  ackedAt: number
  /** When the backend was known to have it. */
  settledAt: number
}

/** Recency bound of all objects, in ms. */
export const RECENCY_MS = 150
/** Edge nodes stamp writes by their clocks, in ms: two writes of one ms have no order. */
const CLOCK_MS = 2
const OPERATIONS_PER_OBJECT = 40
const PAUSE_MS = 10
const CONVERGENCE_MS = 5_000
const SETTLE_MS = 30_000
const ANY_AGE = Number.POSITIVE_INFINITY

const textOf = (value: Uint8Array | null): string => (value ? Buffer.from(value).toString() : '')
const declarationOf = (name: string) => ({
  recencyMs: RECENCY_MS,
  ...(name.startsWith('set') ? { merge: 'union' } : {}),
})

/** Writes by object, and what was wrong. */
export class EventualRecorder {
  readonly #writes = new Map<string, Write[]>()
  readonly #settling = new Set<Promise<void>>()
  readonly faults: string[] = []
  operations = 0
  /** Writes whose outcome is not known, and reads without an answer. */
  undecided = 0
  /** Reads that were refused because the copy was too old and the backend away. */
  stale = 0
  /** Writes that were known to be at the backend when a later read was judged. */
  settled = 0

  /** Opens an object, or gives it as it is known. */
  async open(client: ExchangeClient, name: string): Promise<EventualObject | undefined> {
    return this.#try(() => client.objects.eventual(name, declarationOf(name)))
  }

  async write(client: ExchangeClient, object: EventualObject, element: string): Promise<void> {
    this.operations++
    const write = { element, calledAt: performance.now(), ackedAt: ANY_AGE, settledAt: ANY_AGE }
    const writes = this.#writes.get(object.name) ?? []
    this.#writes.set(object.name, writes)
    writes.push(write)
    await this.#try(async () => {
      await object.write(Buffer.from(element))
      write.ackedAt = performance.now()
      const edge = client.edge
      const settling = object.settled(SETTLE_MS).then(
        () => {
          // Only the edge node that took the write knows of it.
          if (client.edge !== edge) return
          write.settledAt = performance.now()
          this.settled++
        },
        () => {},
      )
      this.#settling.add(settling)
      void settling.then(() => this.#settling.delete(settling))
    })
  }

  async read(object: EventualObject): Promise<void> {
    this.operations++
    const calledAt = performance.now()
    const seen = await this.#try(async () => textOf(await object.read()))
    if (seen !== undefined) this.#judge(object.name, seen, (write) => write.settledAt < calledAt - RECENCY_MS)
  }

  /** Once all is calm: every edge node has everything, and the same. `at` are clients, one at each edge node. */
  async converge(at: readonly ExchangeClient[]): Promise<void> {
    await Promise.all(this.#settling)
    const objects = new Map<string, EventualObject[]>()
    for (const name of this.#writes.keys()) {
      const opened = await Promise.all(at.map((client) => client.objects.eventual(name)))
      await Promise.all(opened.map((object) => object.settled(SETTLE_MS)))
      objects.set(name, opened)
    }
    const end = performance.now() + CONVERGENCE_MS
    for (const [name, opened] of objects) {
      const read = () =>
        Promise.all(opened.map(async (object) => textOf(await object.read({ maxAgeMs: ANY_AGE }))))
      let values = await read()
      while (new Set(values).size > 1 && performance.now() < end) {
        await sleep(PAUSE_MS)
        values = await read()
      }
      if (new Set(values).size > 1) this.faults.push(`no convergence: ${name} is ${values.join(' | ')}`)
      for (const value of values) this.#judge(name, value, (write) => write.ackedAt < ANY_AGE)
    }
  }

  /** Notes which of the writes that must have been seen were not. */
  #judge(name: string, seen: string, isDue: (write: Write) => boolean): void {
    const writes = this.#writes.get(name) ?? []
    const due = writes.filter(isDue)
    if (name.startsWith('set')) {
      const elements = new Set(seen.split('\n').filter(Boolean))
      const missing = due.find(({ element }) => !elements.has(element))
      if (missing) this.faults.push(`${missing.element} is missing in ${name}: ${seen.replaceAll('\n', ' ')}`)
      return
    }
    // What was written after the value that is seen was acknowledged has a later stamp: it should have been seen in its place.
    const value = writes.find(({ element }) => element === seen)
    const seenAt = value ? value.ackedAt + CLOCK_MS : 0
    const later = due.find(({ calledAt }) => calledAt > seenAt)
    if (later) this.faults.push(`${name} is '${seen}', and ${later.element} was written later`)
  }

  async #try<T>(action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error
      if (error instanceof StaleError) this.stale++
      else this.undecided++
      await sleep(PAUSE_MS)
      return undefined
    }
  }
}

/** Lets clients work on one set and one register after another, for as long as it goes on. */
export async function workEventually(
  recorder: EventualRecorder,
  clients: readonly ExchangeClient[],
  goesOn: () => boolean,
): Promise<void> {
  const worker = async (client: ExchangeClient, at: number) => {
    for (let n = at; goesOn(); n++) {
      const round = Math.floor(recorder.operations / (2 * OPERATIONS_PER_OBJECT))
      const object = await recorder.open(client, `${n % 2 === 0 ? 'set' : 'register'}-${round}`)
      if (!object) continue
      if (n % 6 < 2) await recorder.write(client, object, `${at}.${n}`)
      else await recorder.read(object)
      if (n % 4 === 0) await sleep(Math.random() * 20)
    }
  }
  await Promise.all(clients.map(worker))
}
