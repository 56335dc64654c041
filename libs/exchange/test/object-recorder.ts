/** Records what concurrent clients do with shared objects and see of them, as histories that are judged for linearizability. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isLinearizable, type Operation } from '../../store/test/linearizability.ts'
import { type ExchangeClient, ExchangeError } from '../src/index.ts'

const textOf = (value: Uint8Array | null): string => (value ? Buffer.from(value).toString() : '')

/** Histories by object. Values must differ. */
export class ObjectRecorder {
  readonly #histories = new Map<string, Operation[]>()
  #now = 0
  operations = 0
  /** Operations whose outcome is not known. */
  undecided = 0
  /** Shared functions that saw different values in an object and its twin. */
  torn = 0

  /** Reads an object. Returns undefined when that failed. */
  async read({ objects }: ExchangeClient, name: string): Promise<string | undefined> {
    const start = this.#begin()
    try {
      const seen = textOf(await objects.read(name))
      this.#add(name, { start, end: ++this.#now, apply: (state) => (state === seen ? state : null) })
      return seen
    } catch (error) {
      return this.#failed(error)
    }
  }

  async write({ objects }: ExchangeClient, name: string, value: string): Promise<void> {
    await this.#change(name, objects.write(name, Buffer.from(value)), () => value)
  }

  /** Removes an object: it is as it was before anybody wrote it. */
  async remove({ objects }: ExchangeClient, name: string): Promise<void> {
    await this.#change(name, objects.remove(name), () => '')
  }

  /** Writes an object over what a shared function reads, and its twin with the same value. */
  async replace({ objects }: ExchangeClient, name: string, value: string): Promise<void> {
    const twin = `${name}-twin`
    let seen: string | null = null
    const replaced = objects.sharedFn({ reads: [name], writes: [name, twin] }, ({ read, write }) => {
      seen = textOf(read(name))
      if (textOf(read(twin)) !== seen) this.torn++
      write(name, Buffer.from(value))
      write(twin, Buffer.from(value))
    })
    await this.#change(name, replaced, (state) => (state === seen ? value : null))
  }

  get isLinearizable(): boolean {
    return [...this.#histories.values()].every(isLinearizable)
  }

  async #change(name: string, changed: Promise<void>, apply: Operation['apply']): Promise<void> {
    const start = this.#begin()
    try {
      await changed
      this.#add(name, { start, end: ++this.#now, apply })
    } catch (error) {
      this.#add(name, { start, end: Number.POSITIVE_INFINITY, apply })
      this.#failed(error)
    }
  }

  #begin(): number {
    this.operations++
    return ++this.#now
  }

  #add(name: string, operation: Operation): void {
    const history = this.#histories.get(name) ?? []
    this.#histories.set(name, history)
    history.push(operation)
  }

  #failed(error: unknown): undefined {
    if (!(error instanceof ExchangeError)) throw error
    this.undecided++
  }
}

/** Operations on one object, before clients go on with the next: histories stay short enough to be judged. */
const OPERATIONS_PER_OBJECT = 60
/** Pause of a client whose operation has failed. */
const PAUSE_MS = 10

/** Lets clients work at the same time on one object and one pair of twins after another, for as long as it goes on. */
export async function work(
  recorder: ObjectRecorder,
  clients: readonly ExchangeClient[],
  goesOn: () => boolean,
): Promise<void> {
  const worker = async (client: ExchangeClient, at: number) => {
    for (let n = at; goesOn(); n++) {
      const object = Math.floor(recorder.operations / (2 * OPERATIONS_PER_OBJECT))
      const before = recorder.undecided
      const value = `${at}.${n}`
      if (n % 8 === 0) await recorder.replace(client, `pair-${object}`, value)
      else if (n % 16 === 5) await recorder.remove(client, `object-${object}`)
      else if (n % 8 === 3) await recorder.write(client, `object-${object}`, value)
      else await recorder.read(client, n % 2 === 0 ? `pair-${object}` : `object-${object}`)
      if (recorder.undecided > before) await sleep(PAUSE_MS)
    }
  }
  await Promise.all(clients.map(worker))
}
