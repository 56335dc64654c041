/** A set of item numbers that mostly come in order: a contiguous prefix and what lies above it. Plain data. */
export interface SeqSet {
  /** Every number below is in the set. */
  low: number
  /** Numbers in the set above `low`; `null` when there are none. */
  above: Set<number> | null
}

export const newSeqSet = (): SeqSet => ({ low: 0, above: null })

export const hasSeq = (set: SeqSet, seq: number): boolean => seq < set.low || set.above?.has(seq) === true

/** Adds a number; returns false when it was in the set before. */
export function addSeq(set: SeqSet, seq: number): boolean {
  if (seq === set.low) {
    set.low += 1
    while (set.above?.delete(set.low)) set.low += 1
    if (set.above?.size === 0) set.above = null
    return true
  }
  if (hasSeq(set, seq)) return false
  set.above ??= new Set()
  set.above.add(seq)
  return true
}

/** One more than the largest number in the set; 0 when it is empty. */
export function endOfSeqs({ low, above }: SeqSet): number {
  let end = low
  for (const seq of above ?? []) if (seq >= end) end = seq + 1
  return end
}

export const sizeOf = ({ low, above }: SeqSet): number => low + (above?.size ?? 0)

/** Ascending pairs `[from, to)`. */
export function toRanges({ low, above }: SeqSet): [number, number][] {
  const ranges: [number, number][] = low > 0 ? [[0, low]] : []
  for (const seq of [...(above ?? [])].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && last[1] === seq) last[1] = seq + 1
    else ranges.push([seq, seq + 1])
  }
  return ranges
}

/** The set of the numbers in the ranges. */
export function fromRanges(ranges: readonly (readonly [number, number])[]): SeqSet {
  const set = newSeqSet()
  for (const [from, to] of ranges) for (let seq = from; seq < to; seq++) addSeq(set, seq)
  return set
}
