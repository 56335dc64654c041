/** Small helpers for columns of numbers. */

/** A column twice as long, with the same values in front. */
export function doubled<A extends Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(column: A): A {
  const longer =
    column instanceof Float64Array ? new Float64Array(2 * column.length) : new Int32Array(2 * column.length)
  longer.set(column)
  return longer as A
}

/** Adds to one value of a column. */
export function add(column: Float64Array, at: number, amount: number): void {
  column[at] = (column[at] as number) + amount
}
