/**
 * The backend's eventual objects (Vertex 4.2.2): it merges what edge nodes send, and sends the result to all edge nodes that hold a copy.
 */
import type { Disk } from '../disk.ts'
import { ExchangeError } from '../errors.ts'
import type { Flusher } from '../flusher.ts'
import type { Holder } from '../objects/directory.ts'
import type { ObjectKinds } from '../objects/kinds.ts'
import {
  DEFAULT_DECLARATION,
  type Declaration,
  expectDeclared,
  fieldsOf,
  loadedOf,
  type SavedState,
  savedOf,
} from './declaration.ts'
import { type EventualState, type Merges, UNWRITTEN } from './merges.ts'

/** A state, and the number of states that the object has had at the backend. */
export interface VersionedState {
  state: EventualState
  version: number
}

interface Entry extends VersionedState {
  declaration: Declaration
  /** What is on disk. Nothing else is given to others: a kill could take it back. */
  durable: VersionedState
  holders: Set<Holder>
}

interface Outbox {
  names: Set<string>
  isWaiting: boolean
}

/** What the directory needs of its backend. */
export interface DirectoryParts {
  disk: Disk
  flusher: Flusher
  kinds: ObjectKinds
  merges: Merges
}

/** The eventual objects of a backend. */
export class EventualDirectory {
  readonly #parts: DirectoryParts
  readonly #entries = new Map<string, Entry>()
  /** Objects whose new state an edge node has not been sent. */
  readonly #outboxes = new Map<Holder, Outbox>()

  constructor(parts: DirectoryParts) {
    this.#parts = parts
    for (const [[name = ''], saved] of parts.disk.stateOf<SavedState>('eventual')) {
      const { declaration, state } = loadedOf(saved)
      const durable = { state, version: saved.version }
      this.#entries.set(name, { declaration, ...durable, durable, holders: new Set() })
      parts.kinds.claim([name], 'eventual')
    }
  }

  /**
   * The object, which is made when it is not there. Rejects with `ConsistencyError` when it was made otherwise, and with `ExchangeError` when
   * its merge function is not known.
   */
  async open(
    name: string,
    wanted: Partial<Declaration>,
    reader: Holder,
  ): Promise<VersionedState & { declaration: Declaration }> {
    const { kinds, merges } = this.#parts
    const known = this.#entries.get(name)
    if (known) expectDeclared(name, known.declaration, wanted)
    else {
      const declaration = { ...DEFAULT_DECLARATION, ...wanted }
      merges.expect(declaration.merge)
      kinds.claim([name], 'eventual')
      const durable = { state: UNWRITTEN, version: 0 }
      const entry = { declaration, ...durable, durable, holders: new Set<Holder>() }
      this.#entries.set(name, entry)
      this.#save(name, entry)
    }
    const read = this.read(name, reader)
    await this.#parts.flusher.flushed()
    return read
  }

  /** Reads an object for an edge node, which is sent what changes from now on. */
  read(name: string, reader: Holder): VersionedState & { declaration: Declaration } {
    const entry = this.#entry(name)
    entry.holders.add(reader)
    return { declaration: entry.declaration, ...entry.durable }
  }

  /** Merges the state that an edge node has. Resolves to the state that has both, once it is on disk. */
  async merge(name: string, incoming: EventualState, from: Holder): Promise<VersionedState> {
    const entry = this.#entry(name)
    const joined = this.#parts.merges.join(entry.declaration.merge, entry.state, incoming)
    if (joined !== entry.state) {
      entry.state = joined
      entry.version++
      this.#save(name, entry)
    }
    const { state, version } = entry
    await this.#parts.flusher.flushed(() => {
      if (version <= entry.durable.version) return
      entry.durable = { state, version }
      for (const holder of entry.holders) if (holder !== from || state !== incoming) this.#post(name, holder)
    })
    return { state, version }
  }

  /** An edge node has connected with copies, at these versions: it is sent those that have changed. */
  join(holder: Holder, versions: ReadonlyMap<string, number>): void {
    this.forget(holder)
    for (const [name, version] of versions) {
      const entry = this.#entries.get(name)
      if (!entry) continue
      entry.holders.add(holder)
      if (entry.durable.version !== version) this.#post(name, holder)
    }
  }

  /** An edge node has dropped a copy. */
  leave(name: string, holder: Holder): void {
    this.#entries.get(name)?.holders.delete(holder)
    this.#outboxes.get(holder)?.names.delete(name)
  }

  /** An edge node has no copies. */
  forget(holder: Holder): void {
    this.#outboxes.delete(holder)
    for (const { holders } of this.#entries.values()) holders.delete(holder)
  }

  /** Sends an edge node all that has changed: what is sent to it next comes after. */
  drain(holder: Holder): void {
    this.#send(holder, () => true)
  }

  #entry(name: string): Entry {
    this.#parts.kinds.expect(name, 'eventual')
    const entry = this.#entries.get(name)
    if (entry) return entry
    throw new ExchangeError(`There is no eventual object '${name}': make it with objects.eventual first.`)
  }

  #save(name: string, { declaration, state, version }: Entry): void {
    this.#parts.disk.save(['eventual', name], savedOf(declaration, state, version))
  }

  #post(name: string, holder: Holder): void {
    let outbox = this.#outboxes.get(holder)
    if (!outbox) {
      outbox = { names: new Set(), isWaiting: false }
      this.#outboxes.set(holder, outbox)
    }
    outbox.names.add(name)
    if (outbox.isWaiting) return
    outbox.isWaiting = true
    setImmediate(() => this.#push(holder))
  }

  /** Sends what has changed, as fast as the connection takes it. */
  #push(holder: Holder): void {
    const outbox = this.#outboxes.get(holder)
    if (!outbox) return
    outbox.isWaiting = false
    this.#send(holder, () => {
      if (!holder.session?.isCongested) return true
      outbox.isWaiting = true
      holder.session.onDrain(() => this.#push(holder))
      return false
    })
  }

  #send(holder: Holder, goesOn: () => boolean): void {
    const { session } = holder
    const names = this.#outboxes.get(holder)?.names
    if (!session || !names) return
    for (const name of names) {
      if (!goesOn()) return
      names.delete(name)
      const durable = this.#entries.get(name)?.durable
      if (!durable) continue
      const header = { type: 'eventual-push', name, ...fieldsOf(durable.state, durable.version) }
      session.send(header, durable.state.value ?? undefined)
    }
  }
}
