/**
 * Network functional units in software: the reference of what an op does (InLocus paper, its function set: average,
 * counter, minimum, maximum, filter, forward). A value is a number, or an object of which `field` names a number.
 */
import { type Nfu, NfuError } from './code.ts'
import { addExactly, meanOf } from './exact.ts'
import { OPS } from './parameters.ts'

/** A running unit. */
export interface Op {
  /** What one value gives: any number of outputs. Throws `NfuError` when the value holds no number. */
  (value: unknown): unknown[]
  /** What it keeps of the values so far: `createOp` goes on from it. Empty for ops that look at one value only. */
  state(): number[]
}

/** Whether what a unit gives depends on the values before. */
export const keepsState = ({ op }: Nfu): boolean => OPS[op].stateful

/**
 * Creates a unit that resumes from `state`, or starts without any values. With a `window` an aggregate gives one summary for
 * every `window` values and then starts anew; without one, the summary of all values so far for each of them. Averages are
 * exact but for one rounding, and a zero is never negative, so that hardware gives the same bytes.
 */
export function createOp(nfu: Nfu, state: readonly number[] = []): Op {
  const number = (value: unknown): number => {
    const result = nfu.field === undefined ? value : (value as Record<string, unknown> | null)?.[nfu.field]
    if (typeof result === 'number') return result
    throw new NfuError(
      nfu.field === undefined
        ? `The op '${nfu.op}' takes numbers; give 'field' to take one from an object.`
        : `The value has no number in '${nfu.field}'.`,
    )
  }
  const finite = (value: unknown): number => {
    const result = number(value)
    if (Number.isFinite(result)) return result
    throw new NfuError(`The op '${nfu.op}' takes finite numbers, not ${result}.`)
  }
  const summaries = (
    next: (state: number[], value: unknown) => number[],
    summaryOf: (state: number[]) => number,
  ) => windowed(nfu.window, state, next, summaryOf)
  switch (nfu.op) {
    case 'forward':
      return passing((value) => [value])
    case 'filter':
      return passing((value) => {
        const x = number(value)
        return x >= nfu.above && x <= nfu.below ? [value] : []
      })
    case 'counter':
      return counting(nfu.count, state)
    case 'average':
      return summaries(
        ([seen = 0, ...parts], value) => [seen + 1, ...addWithinRange(parts, finite(value))],
        ([seen = 1, ...parts]) => meanOf(parts, seen),
      )
    case 'min':
    case 'max': {
      const best = nfu.op === 'min' ? Math.min : Math.max
      return summaries(
        ([seen = 0, ...bests], value) => [seen + 1, best(...bests, finite(value) + 0)],
        ([, result = 0]) => result,
      )
    }
  }
}

function addWithinRange(parts: readonly number[], x: number): number[] {
  const sum = addExactly(parts, x)
  if (sum.every(Number.isFinite)) return sum
  throw new NfuError('The sum of the values to average is beyond the range of a double.')
}

const passing = (outputsOf: (value: unknown) => unknown[]): Op =>
  Object.assign(outputsOf.bind(null), { state: () => [] })

/** Gives how many values have come so far, once for every `count` of them. */
function counting(count: number, from: readonly number[]): Op {
  let [total = 0] = from
  const step = (): unknown[] => {
    total += 1
    return total % count === 0 ? [total] : []
  }
  return Object.assign(step, { state: () => [total] })
}

/** A state starts with the number of values seen in its window. */
function windowed(
  window: number,
  from: readonly number[],
  next: (state: number[], value: unknown) => number[],
  summaryOf: (state: number[]) => number,
): Op {
  let state = [...from]
  const step = (value: unknown): unknown[] => {
    const reached = next(state, value)
    const isFull = window > 0 && reached[0] === window
    state = isFull ? [0] : reached
    return isFull || window === 0 ? [summaryOf(reached)] : []
  }
  return Object.assign(step, { state: () => [...state] })
}
