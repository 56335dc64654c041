/** What is chosen when an eventual object is made, and what nodes and clients say of it. */
import { ConsistencyError, ExchangeError } from '../errors.ts'
import { countOf, nameOf } from '../fields.ts'
import type { Header } from '../frame.ts'
import { type EventualState, LAST_WRITER, UNWRITTEN } from './merges.ts'

/** How an eventual object is merged, and how old a copy may be that is read. */
export interface Declaration {
  /** Name of a merge function of the nodes, or `last-writer`. */
  merge: string
  /** Recency bound, in ms. */
  recencyMs: number
}

/** What objects are made with where nothing else is asked for. */
export const DEFAULT_DECLARATION: Declaration = { merge: LAST_WRITER, recencyMs: 1_000 }

/** What a client asks for: what is missing is taken as it is, or from the default. */
export const wantedOf = (header: Header): Partial<Declaration> => ({
  ...(header.merge == null ? {} : { merge: nameOf(header, 'merge') }),
  ...(header.recencyMs == null ? {} : { recencyMs: countOf(header, 'recencyMs') }),
})

/** Throws `ConsistencyError` when an object was made with something else than what a client asks for. */
export function expectDeclared(name: string, declared: Declaration, wanted: Partial<Declaration>): void {
  const { merge = declared.merge, recencyMs = declared.recencyMs } = wanted
  if (merge === declared.merge && recencyMs === declared.recencyMs) return
  throw new ConsistencyError(
    `The object '${name}' was made with merge '${declared.merge}' and a recency of ${declared.recencyMs} ms; it is asked for with merge '${merge}' and ${recencyMs} ms. Ask for the same, or for neither.`,
  )
}

/** A state and its version at the backend, as fields of a header. The value is the body. */
export const fieldsOf = (
  { value, stamp, node, removals }: EventualState,
  version: number,
): Record<string, unknown> => ({
  version,
  stamp,
  node,
  removals,
  exists: value !== null,
})

/** Reads what `fieldsOf` and the body say. */
export function stateOf(header: Header, body: Buffer): EventualState {
  const removals = header.removals == null ? 0 : countOf(header, 'removals')
  if (header.exists !== true) return { ...UNWRITTEN, removals }
  const { node } = header
  if (typeof node !== 'string')
    throw new ExchangeError(`The field 'node' of '${header.type}' must be a text.`)
  // A copy: the body is a view of a larger chunk, which it would keep in memory.
  return { value: Buffer.from(body), stamp: countOf(header, 'stamp'), node, removals }
}

/** A state as JSON. */
export interface SavedState {
  merge: string
  recencyMs: number
  version: number
  stamp: number
  node: string
  /** Absent in what was kept before there were removals. */
  removals?: number
  /** Base64, or null. */
  value: string | null
}

/** A state as it is kept on disk. */
export const savedOf = (declaration: Declaration, state: EventualState, version: number): SavedState => ({
  ...declaration,
  version,
  stamp: state.stamp,
  node: state.node,
  removals: state.removals,
  value: state.value?.toString('base64') ?? null,
})

/** Reads what `savedOf` gives. */
export const loadedOf = ({ merge, recencyMs, stamp, node, removals = 0, value }: SavedState) => ({
  declaration: { merge, recencyMs },
  state: { value: value === null ? null : Buffer.from(value, 'base64'), stamp, node, removals },
})
