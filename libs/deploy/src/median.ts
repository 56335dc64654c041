import { quantileOf } from '@hivemind/swarm'

/** The median of these numbers, in any order; 0 without any. */
export const medianOf = (values: readonly number[]): number =>
  quantileOf(
    [...values].sort((a, b) => a - b),
    0.5,
  )
