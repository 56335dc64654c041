/** References to values as they travel; the shapes of `libs/values`. */

/** A value as its producer encoded it. */
export interface EncodedValue {
  /** Media type. */
  type: string
  bytes: Uint8Array
}

/** A value on its way: itself when small, else where it is stored. */
export type ValueRef =
  | { kind: 'inline'; type: string; bytes: Uint8Array }
  | { kind: 'stored'; pool: string; key: string; version: number; size: number; type: string }
