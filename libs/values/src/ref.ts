/** References to values: what the run core, the protocol and the service pass on instead of the values. */
import type { EncodedValue } from './codec.ts'

/** Largest value that travels inside its reference, in bytes: larger ones cost less as a value of the data port. */
export const INLINE_LIMIT = 256 * 1024

/** A value, or where it is kept. Plain data: it can be written as CBOR. */
export type ValueRef = InlineRef | StoredRef

/** A small value that travels with its reference. */
export interface InlineRef extends EncodedValue {
  kind: 'inline'
}

/** A value that a `DataPort` keeps. */
export interface StoredRef {
  kind: 'stored'
  /** Group of values that are dropped together, such as the id of a run. */
  pool: string
  key: string
  /** Counts the values put under this key, from 1. */
  version: number
  /** Size of the value in bytes. */
  size: number
  /** Media type. */
  type: string
}

/** A reference that carries the value itself. */
export function inlineRef({ type, bytes }: EncodedValue): InlineRef {
  return { kind: 'inline', type, bytes }
}

/** Size of the value that a reference stands for, in bytes. */
export function refSize(ref: ValueRef): number {
  return ref.kind === 'inline' ? ref.bytes.length : ref.size
}
