/**
 * The eventual objects at an edge node (Vertex 4.2.2): a write changes the copy at once and is on the node's disk before it is acknowledged;
 * then it travels to the backend. A copy may be read while it is younger than its recency bound.
 */
import { randomUUID } from 'node:crypto'
import type { Disk } from '../disk.ts'
import { ExchangeError, StaleError } from '../errors.ts'
import { countOf, nameOf } from '../fields.ts'
import type { Flusher } from '../flusher.ts'
import type { Frame, Header } from '../frame.ts'
import {
  type Declaration,
  expectDeclared,
  fieldsOf,
  loadedOf,
  type SavedState,
  savedOf,
  stateOf,
} from './declaration.ts'
import type { VersionedState } from './directory.ts'
import { type EventualState, type Merges, UNWRITTEN } from './merges.ts'

/** Bounds of the writes that an edge node keeps for a backend that is away. Beyond them, writes are refused. */
export interface PendingBounds {
  objects: number
  bytes: number
}

/** 10,000 objects, 64 MB. */
export const DEFAULT_PENDING_BOUNDS: PendingBounds = { objects: 10_000, bytes: 64 * 1024 * 1024 }

/** A copy of an object. */
export interface Copy extends VersionedState {
  name: string
  declaration: Declaration
  /** Number of its last change, among those of all copies of this process. */
  change: number
  /** Number of writes by clients of this node. */
  writes: number
  /** Whether it has writes that the backend is not known to have. */
  isPending: boolean
  isSending: boolean
  /** Why the backend did not take it last; '' for no failure. */
  failure: string
  /** When it was asked for, by `performance.now()`. */
  fetchedAt: number
  /** Woken by each change, and when the backend has it. */
  waiters: Set<() => void>
}

/** What the copies need of their edge node. */
export interface CopyParts {
  /** Name of the edge node. */
  node: string
  disk: Disk
  flusher: Flusher
  merges: Merges
  bounds: PendingBounds
  /** Sends a request to the backend. */
  ask(header: Header, body?: Buffer): Promise<Frame>
  /** Sends a frame without an answer. */
  tell(header: Header): void
  /** Asks the backend for a sign of life; calls `synced` when it has come. */
  ping(): Promise<void>
}

interface Saved extends SavedState {
  isPending: boolean
}

const MAX_COPIES_BYTES = 64 * 1024 * 1024
const MAX_COPIES = 20_000
const MAX_SENDING = 32
const RETRY_MS = 1_000

const sizeOf = ({ value }: EventualState): number => value?.length ?? 0

/** The copies of an edge node, on its disk too. Beyond 64 MB or 20,000, those go that were not used for longest and have no writes to send. */
export class EventualCopies {
  readonly #parts: CopyParts
  readonly #copies = new Map<string, Copy>()
  readonly #pending = new Set<Copy>()
  readonly #fetches = new Set<{ name: string; pushed: VersionedState | null }>()
  /** Names the copies of this process: numbers of changes mean nothing elsewhere. */
  readonly #process = randomUUID()
  #lastChange = 0
  #lastStamp = 0
  #bytes = 0
  #pendingBytes = 0
  #sending = 0
  /** The copies have everything that the backend had at this time, by `performance.now()`. */
  #syncedAt = Number.NEGATIVE_INFINITY
  #sync: { sentAt: number; done: Promise<void> } | null = null
  readonly #retries = new Set<NodeJS.Timeout>()
  #isClosed = false

  constructor(parts: CopyParts) {
    this.#parts = parts
    for (const [[name = ''], saved] of parts.disk.stateOf<Saved>('eventual-copy')) {
      const { declaration, state } = loadedOf(saved)
      const copy = this.#add(name, declaration, { state, version: saved.version }, Number.NEGATIVE_INFINITY)
      if (saved.isPending) this.#setPending(copy)
    }
  }

  /** Versions of all copies, for the backend. */
  get versions(): Record<string, number> {
    return Object.fromEntries([...this.#copies.values()].map(({ name, version }) => [name, version]))
  }

  /** Opens an object for a client. What is here says how it was made; otherwise the backend does, and makes it if need be. */
  async open(name: string, wanted: Partial<Declaration>): Promise<Declaration> {
    const known = this.#copies.get(name)
    if (known) expectDeclared(name, known.declaration, wanted)
    const { declaration } = known ?? (await this.#fetch(name, { type: 'eventual-open', name, ...wanted }))
    this.#parts.merges.expect(declaration.merge)
    return declaration
  }

  /**
   * Reads an object that is at most `maxAgeMs` old, by its recency bound where none is given: it has all that the backend had that long before
   * the call. Rejects with `StaleError` when the copy is older and the backend does not answer.
   */
  async read(name: string, maxAgeMs?: number): Promise<Copy> {
    const copy = await this.#copyOf(name)
    const bound = maxAgeMs ?? copy.declaration.recencyMs
    const age = performance.now() - this.#freshAt(copy)
    if (age <= bound) return copy
    try {
      await this.#syncSince(performance.now() - bound)
    } catch (error) {
      const ageText = Number.isFinite(age)
        ? `${Math.round(age)} ms old`
        : 'from before the edge node was started'
      throw new StaleError(
        `The copy of '${name}' is ${ageText}; it may be ${bound} ms old, and the backend does not answer (${(error as Error).message}). Try again later, or read it at any age (maxAgeMs: Infinity, max_age=float("inf")).`,
      )
    }
    // A copy that was dropped meanwhile gets no news.
    return this.#copies.get(name) === copy ? copy : this.read(name, maxAgeMs)
  }

  /** Writes an object. Resolves when it is on the disk of this node. Rejects with `ExchangeError` when too much is waiting for the backend. */
  write(name: string, value: Buffer): Promise<void> {
    return this.#change(name, ({ declaration, state }) => {
      const { merges, node } = this.#parts
      this.#lastStamp = Math.max(this.#lastStamp + 1, Date.now() * 1_000)
      const { removals } = state
      const written = { value: Buffer.from(value), stamp: this.#lastStamp, node, removals }
      return merges.write(declaration.merge, name, state, written)
    })
  }

  /** Removes what this node has of an object, and what others write without having heard of it. Resolves and rejects as `write`. */
  remove(name: string): Promise<void> {
    return this.#change(name, ({ state }) =>
      state.value ? { ...UNWRITTEN, removals: state.removals + 1 } : state,
    )
  }

  async #change(name: string, stateAfter: (copy: Copy) => EventualState): Promise<void> {
    const copy = await this.#copyOf(name)
    const { flusher } = this.#parts
    const state = stateAfter(copy)
    if (state !== copy.state) {
      this.#expectRoom(copy, state)
      this.#setPending(copy)
      copy.writes++
      this.#setState(copy, state)
      this.#save(copy)
    }
    await flusher.flushed()
    this.#sendPending()
  }

  /** Resolves when the backend has all writes of an object at this node. Rejects with `ExchangeError` after `waitMs`. */
  async settled(name: string, waitMs: number): Promise<void> {
    const copy = await this.#copyOf(name)
    const isSettled = () => !copy.isPending
    if (await this.#until(copy, isSettled, waitMs)) return
    throw new ExchangeError(
      `The backend does not have the writes of '${name}' after ${waitMs} ms${copy.failure && `: ${copy.failure}`}. They are kept here and sent later.`,
    )
  }

  /** Waits until an object differs from what a client has seen, for up to `waitMs`. */
  async changed(name: string, seen: string, waitMs: number): Promise<void> {
    const copy = await this.#copyOf(name)
    await this.#until(copy, () => this.tokenOf(copy) !== seen, waitMs)
  }

  /** Names the state of a copy. */
  tokenOf({ change }: Copy): string {
    return `${this.#process}.${change}`
  }

  /** The backend sends the state of an object. */
  receive(header: Header, body: Buffer): void {
    const name = nameOf(header, 'name')
    const received = { state: stateOf(header, body), version: countOf(header, 'version') }
    for (const fetch of this.#fetches)
      if (fetch.name === name && received.version > (fetch.pushed?.version ?? -1)) fetch.pushed = received
    const copy = this.#copies.get(name)
    if (copy) this.#take(copy, received)
  }

  /** A sign of life of the backend, asked for at `sentAt`, has come: what had changed by then has come before it. */
  synced(sentAt: number): void {
    this.#syncedAt = Math.max(this.#syncedAt, sentAt)
  }

  /** The connection to the backend is there again. */
  resume(): void {
    for (const copy of this.#pending) copy.failure = ''
    this.#sendPending()
  }

  /** Sends nothing any more. What was not sent is on disk. */
  close(): void {
    this.#isClosed = true
    for (const timer of this.#retries) clearTimeout(timer)
  }

  #freshAt({ fetchedAt }: Copy): number {
    return Math.max(fetchedAt, this.#syncedAt)
  }

  async #copyOf(name: string): Promise<Copy> {
    const copy = this.#copies.get(name) ?? (await this.#fetch(name, { type: 'eventual-fetch', name }))
    this.#copies.delete(name)
    this.#copies.set(name, copy)
    return copy
  }

  async #fetch(name: string, header: Header): Promise<Copy> {
    const fetch = { name, pushed: null as VersionedState | null }
    this.#fetches.add(fetch)
    const sentAt = performance.now()
    try {
      const answer = await this.#parts.ask(header)
      const received = {
        state: stateOf(answer.header, answer.body),
        version: countOf(answer.header, 'version'),
      }
      const declaration = {
        merge: nameOf(answer.header, 'merge'),
        recencyMs: countOf(answer.header, 'recencyMs'),
      }
      let copy = this.#copies.get(name)
      if (copy) this.#take(copy, received)
      else copy = this.#add(name, declaration, received, sentAt)
      copy.fetchedAt = Math.max(copy.fetchedAt, sentAt)
      if (fetch.pushed) this.#take(copy, fetch.pushed)
      this.#save(copy)
      this.#evict(copy)
      return copy
    } finally {
      this.#fetches.delete(fetch)
    }
  }

  #add(name: string, declaration: Declaration, { state, version }: VersionedState, fetchedAt: number): Copy {
    const copy: Copy = {
      name,
      declaration,
      state,
      version,
      change: ++this.#lastChange,
      writes: 0,
      isPending: false,
      isSending: false,
      failure: '',
      fetchedAt,
      waiters: new Set(),
    }
    this.#copies.set(name, copy)
    this.#bytes += sizeOf(state)
    this.#lastStamp = Math.max(this.#lastStamp, state.stamp)
    return copy
  }

  /** Takes a state of the backend, unless it is an earlier one. Writes that the backend does not have yet stay. */
  #take(copy: Copy, { state, version }: VersionedState): void {
    if (version <= copy.version) return
    const { merge } = copy.declaration
    const taken = copy.isPending ? this.#parts.merges.join(merge, copy.state, state) : state
    copy.version = version
    if (taken !== copy.state) this.#setState(copy, taken)
    this.#save(copy)
  }

  #setState(copy: Copy, state: EventualState): void {
    const growth = sizeOf(state) - sizeOf(copy.state)
    this.#bytes += growth
    if (copy.isPending) this.#pendingBytes += growth
    copy.state = state
    copy.change = ++this.#lastChange
    this.#lastStamp = Math.max(this.#lastStamp, state.stamp)
    this.#wake(copy)
  }

  #setPending(copy: Copy): void {
    if (copy.isPending) return
    copy.isPending = true
    this.#pending.add(copy)
    this.#pendingBytes += sizeOf(copy.state)
  }

  #setSettled(copy: Copy): void {
    copy.isPending = false
    this.#pending.delete(copy)
    this.#pendingBytes -= sizeOf(copy.state)
    this.#save(copy)
    this.#wake(copy)
  }

  #wake({ waiters }: Copy): void {
    for (const wake of [...waiters]) wake()
  }

  #expectRoom(copy: Copy, state: EventualState): void {
    const { objects, bytes } = this.#parts.bounds
    const growth = copy.isPending ? sizeOf(state) - sizeOf(copy.state) : sizeOf(state)
    if ((copy.isPending || this.#pending.size < objects) && this.#pendingBytes + growth <= bytes) return
    throw new ExchangeError(
      `The write of '${copy.name}' is refused: this edge node keeps ${this.#pending.size} objects of ${this.#pendingBytes} bytes that the backend has not taken (limits: ${objects} and ${bytes}). Try again when the backend answers.`,
    )
  }

  #save({ name, declaration, state, version, isPending }: Copy): void {
    this.#parts.disk.save(['eventual-copy', name], { ...savedOf(declaration, state, version), isPending })
    this.#parts.flusher.schedule()
  }

  #evict(kept: Copy): void {
    for (const copy of this.#copies.values()) {
      if (this.#bytes <= MAX_COPIES_BYTES && this.#copies.size <= MAX_COPIES) return
      if (copy === kept || copy.isPending || copy.waiters.size > 0) continue
      this.#copies.delete(copy.name)
      this.#bytes -= sizeOf(copy.state)
      this.#parts.disk.remove(['eventual-copy', copy.name])
      this.#parts.tell({ type: 'eventual-leave', name: copy.name })
    }
  }

  /** A sign of life that was asked for at `since` or later. */
  #syncSince(since: number): Promise<void> {
    if (this.#sync && this.#sync.sentAt >= since) return this.#sync.done
    const sync = { sentAt: performance.now(), done: this.#parts.ping() }
    this.#sync = sync
    const end = () => {
      if (this.#sync === sync) this.#sync = null
    }
    sync.done.then(end, end)
    return sync.done
  }

  #sendPending(): void {
    for (const copy of this.#pending) {
      if (this.#sending >= MAX_SENDING || this.#isClosed) return
      if (!copy.isSending && !copy.failure) void this.#send(copy)
    }
  }

  async #send(copy: Copy): Promise<void> {
    const { name, state, writes } = copy
    copy.isSending = true
    this.#sending++
    try {
      // Not before it is on disk: after a kill, this node would give its stamp again, to another write.
      await this.#parts.flusher.flushed()
      const request = { type: 'eventual-merge', name, ...fieldsOf(state, copy.version) }
      const { header, body } = await this.#parts.ask(request, state.value ?? undefined)
      const version = countOf(header, 'version')
      if (header.isSame !== true) this.#take(copy, { state: stateOf(header, body), version })
      else if (version > copy.version) copy.version = version
      // The backend has all there is here, unless it was written again.
      if (copy.writes === writes) this.#setSettled(copy)
      copy.failure = ''
    } catch (error) {
      copy.failure = (error as Error).message
      if (this.#isClosed) return
      const timer = setTimeout(() => {
        this.#retries.delete(timer)
        copy.failure = ''
        this.#sendPending()
      }, RETRY_MS)
      this.#retries.add(timer)
    } finally {
      copy.isSending = false
      this.#sending--
      this.#sendPending()
    }
  }

  /** Waits for a condition, which waiters are woken for. Returns whether it holds. */
  async #until(copy: Copy, holds: () => boolean, waitMs: number): Promise<boolean> {
    const end = performance.now() + waitMs
    while (!holds() && performance.now() < end)
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          copy.waiters.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, end - performance.now())
        copy.waiters.add(wake)
      })
    return holds()
  }
}
