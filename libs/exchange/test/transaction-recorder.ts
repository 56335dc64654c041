/** Records what concurrent transactions do and see, as a history that is judged for snapshot isolation. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ConflictError, type ExchangeClient, ExchangeError, type Transaction } from '../src/index.ts'
import { findAnomalies, type Recorded, type Step } from './snapshot-isolation.ts'

/** Reads and appends of one attempt of a transaction. */
export interface Attempt {
  read(object: string): Promise<readonly string[]>
  /** Appends an element of its own. */
  append(object: string): Promise<void>
}

/** Thrown by transactions that give themselves up. */
class GivenUp extends Error {}

/** Transactions before clients go on with the next objects: lists stay short. */
const TRANSACTIONS_PER_ROUND = 60
/** Pause of a client whose transaction has failed. */
const PAUSE_MS = 10
const ATTEMPTS = 5

const listOf = (value: Uint8Array | null): string[] => (value ? Buffer.from(value).toString().split(',') : [])

/** A list is at one of two places: an append may move it, which removes it at the other one. */
const placesOf = (object: string): string[] => [`${object}/a`, `${object}/b`]

/** A history. */
export class TransactionRecorder {
  readonly history: Recorded[] = []
  #now = 0
  #lastElement = 0
  transactions = 0
  /** Transactions whose outcome is not known. */
  undecided = 0
  /** Attempts that were aborted because another transaction was first. */
  conflicts = 0

  /** Runs a transaction, each attempt of which is an entry of the history. */
  async run({ objects }: ExchangeClient, body: (attempt: Attempt) => Promise<unknown>): Promise<void> {
    this.transactions++
    let last: { start: number; steps: Step[] } | null = null
    const end = (outcome: Recorded['outcome']) => {
      if (!last) return
      const time = outcome === 'unknown' ? Number.POSITIVE_INFINITY : ++this.#now
      this.history.push({ ...last, end: time, outcome })
      last = null
    }
    let start = ++this.#now
    try {
      await objects.transaction(
        async (transaction) => {
          if (last) this.conflicts++
          // The earlier attempt was aborted, and this one has begun after that.
          end('aborted')
          last = { start, steps: [] }
          start = ++this.#now
          await body(this.#attempt(transaction, last.steps))
        },
        { attempts: ATTEMPTS },
      )
      end('committed')
    } catch (error) {
      if (error instanceof ConflictError || error instanceof GivenUp) return end('aborted')
      end('unknown')
      if (!(error instanceof ExchangeError)) throw error
      this.undecided++
    }
  }

  /** What is wrong with the history. */
  get anomalies(): string[] {
    return findAnomalies(this.history)
  }

  #attempt(transaction: Transaction, steps: Step[]): Attempt {
    const read = async (object: string): Promise<string[]> => {
      const values = await Promise.all(placesOf(object).map((place) => transaction.read(place)))
      const seen = values.flatMap(listOf)
      steps.push({ object, seen })
      return seen
    }
    return {
      read,
      append: async (object) => {
        const appended = String(++this.#lastElement)
        const list = [...(await read(object)), appended]
        steps.push({ object, appended })
        // Both places, or neither, show that a removal was not seen with the write beside it.
        const [to, from] = this.#lastElement % 3 === 0 ? placesOf(object).reverse() : placesOf(object)
        transaction.write(to as string, Buffer.from(list.join()))
        transaction.remove(from as string)
      },
    }
  }
}

const KINDS: ((attempt: Attempt, x: string, y: string) => Promise<unknown>)[] = [
  async ({ append }, x) => append(x),
  async ({ append }, x, y) => {
    await append(x)
    await append(y)
  },
  async ({ read }, x, y) => {
    await read(x)
    await sleep(Math.random() * 5)
    await read(y)
    await read(x)
  },
  // Writes what another one may only have read: write skew.
  async ({ read, append }, x, y) => {
    await read(x)
    await append(y)
  },
  async ({ read, append }, x, y) => {
    await append(x)
    await append(x)
    await read(x)
    await append(y)
  },
  async ({ append }, x, y) => {
    await append(x)
    await append(y)
    if (Math.random() < 0.3) throw new GivenUp()
  },
]

/** Lets clients run transactions on three objects, and then on the next three, for as long as it goes on; and reads all of them at the end. */
export async function transact(
  recorder: TransactionRecorder,
  clients: readonly ExchangeClient[],
  goesOn: () => boolean,
): Promise<void> {
  const roundOf = () => Math.floor(recorder.transactions / TRANSACTIONS_PER_ROUND)
  const worker = async (client: ExchangeClient, at: number) => {
    for (let n = at; goesOn(); n++) {
      const first = Math.floor(Math.random() * 3)
      const [x, y] = [first, (first + 1) % 3].map((object) => `list-${roundOf()}-${object}`) as [
        string,
        string,
      ]
      const before = recorder.undecided
      const kind = KINDS[n % KINDS.length] as (typeof KINDS)[number]
      await recorder.run(client, (attempt) => kind(attempt, x, y))
      if (recorder.undecided > before) await sleep(PAUSE_MS)
    }
  }
  await Promise.all(clients.map(worker))
}

/** Reads what was written, so that every acknowledged write is looked for. */
export async function readAll(recorder: TransactionRecorder, client: ExchangeClient): Promise<void> {
  const objects = new Set(recorder.history.flatMap(({ steps }) => steps.map(({ object }) => object)))
  for (const object of objects) await recorder.run(client, ({ read }) => read(object))
}
