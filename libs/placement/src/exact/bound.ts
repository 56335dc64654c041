/** Prunes labels that cannot lead to a new point of the front. */
import type { Archive } from './archive.ts'

/** Decides by known placements whether everything that a label can become is dominated. */
export class Bound {
  private readonly known: Archive
  private readonly m: number
  private readonly row: Float64Array

  constructor(figures: number, known: Archive) {
    this.m = figures
    this.known = known
    this.row = new Float64Array(figures + 1)
  }

  /** Whether a known placement is at least as good as everything with these figures, this key and this minimum latency. */
  excludes(
    figures: Float64Array,
    offset: number,
    remaining: Float64Array,
    key: number,
    latency: number,
  ): boolean {
    const m = this.m
    const row = this.row
    row[0] = latency
    for (let k = 0; k < m; k++)
      row[1 + k] = (figures[offset + k] as number) + (remaining[key * m + k] as number)
    return this.known.covers(row, 0)
  }
}
