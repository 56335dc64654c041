/** Helpers for typed arrays. */

/** A copy twice as long, with the same values in front. */
export function doubled<A extends Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(column: A): A {
  const longer =
    column instanceof Float64Array ? new Float64Array(2 * column.length) : new Int32Array(2 * column.length)
  longer.set(column)
  return longer as A
}
