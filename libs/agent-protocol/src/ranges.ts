/** Sets of item numbers as ranges: compact for streams, whose numbers are mostly consecutive. */

/** Ranges [first, end) of item numbers: `end` is exclusive; sorted, disjoint and never adjacent. */
export type SeqRanges = [first: number, end: number][]

/** Index of the first range that ends at or after `seq`. */
function locate(ranges: SeqRanges, seq: number): number {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    const range = ranges[middle]
    if (range !== undefined && range[1] < seq) low = middle + 1
    else high = middle
  }
  return low
}

/** Adds one number in place. Returns false when it was in the set already. */
export function addSeq(ranges: SeqRanges, seq: number): boolean {
  const index = locate(ranges, seq)
  const range = ranges[index]
  if (range === undefined || seq < range[0] - 1) {
    ranges.splice(index, 0, [seq, seq + 1])
    return true
  }
  if (seq === range[0] - 1) {
    range[0] = seq
    return true
  }
  if (seq < range[1]) return false
  // seq === range[1]: the range grows by one, and may now touch the next one
  range[1] = seq + 1
  const next = ranges[index + 1]
  if (next !== undefined && next[0] === seq + 1) {
    range[1] = next[1]
    ranges.splice(index + 1, 1)
  }
  return true
}

/** Whether the set contains a number. */
export function hasSeq(ranges: SeqRanges, seq: number): boolean {
  const range = ranges[locate(ranges, seq + 1)]
  return range !== undefined && range[0] <= seq && seq < range[1]
}

/** Number of numbers in the set. */
export function countSeqs(ranges: SeqRanges): number {
  return ranges.reduce((sum, [first, end]) => sum + end - first, 0)
}
