/**
 * A set of item numbers, which mostly come in order. As long as there are no gaps it is a number: all those below are in the
 * set. Plain data.
 */
export type SeqSet = number | Gapped

interface Gapped {
  /** Every number below is in the set, and this one is not. */
  low: number
  /** Numbers in the set above `low`. */
  above: Set<number>
}

export const EMPTY: SeqSet = 0

/** The least number that is not in the set. */
export const lowOf = (set: SeqSet): number => (typeof set === 'number' ? set : set.low)

export const hasSeq = (set: SeqSet, seq: number): boolean =>
  typeof set === 'number' ? seq < set : seq < set.low || set.above.has(seq)

/** The set with a number added; it takes the place of the one that is given. */
export function withSeq(set: SeqSet, seq: number): SeqSet {
  if (hasSeq(set, seq)) return set
  if (typeof set === 'number') return seq === set ? seq + 1 : { low: set, above: new Set([seq]) }
  if (seq !== set.low) {
    set.above.add(seq)
    return set
  }
  set.low += 1
  while (set.above.delete(set.low)) set.low += 1
  return set.above.size === 0 ? set.low : set
}

const aboveOf = (set: SeqSet): number[] => (typeof set === 'number' ? [] : [...set.above])

/** One more than the largest number in the set; 0 when it is empty. */
export const endOfSeqs = (set: SeqSet): number =>
  aboveOf(set).reduce((end, seq) => Math.max(end, seq + 1), lowOf(set))

export const sizeOf = (set: SeqSet): number => lowOf(set) + aboveOf(set).length

/** Ascending pairs `[from, to)`. */
export function toRanges(set: SeqSet): [number, number][] {
  const low = lowOf(set)
  const ranges: [number, number][] = low > 0 ? [[0, low]] : []
  for (const seq of aboveOf(set).sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && last[1] === seq) last[1] = seq + 1
    else ranges.push([seq, seq + 1])
  }
  return ranges
}

/** The set of the numbers in the ranges. */
export function fromRanges(ranges: readonly (readonly [number, number])[]): SeqSet {
  let set = EMPTY
  for (const [from, to] of ranges) for (let seq = from; seq < to; seq++) set = withSeq(set, seq)
  return set
}
