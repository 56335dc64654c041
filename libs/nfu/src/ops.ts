/**
 * Network functional units in software: the reference of what an op does (InLocus paper, its function set: average,
 * counter, minimum, maximum, filter, forward). A value is a number, or an object of which `field` names a number.
 */
import { type Nfu, NfuError } from './code.ts'
import { OPS } from './parameters.ts'

/** A running unit. */
export interface Op {
  /** What one value gives: any number of outputs, usually one. Throws `NfuError` when the value holds no number. */
  (value: unknown): unknown[]
  /** What it keeps of the values so far: `createOp` goes on from it. Empty for ops that look at one value only. */
  state(): number[]
}

/** Whether what a unit gives depends on the values before. */
export const keepsState = ({ op }: Nfu): boolean => OPS[op].stateful

/** Creates a unit that resumes from `state`, or starts without any values. */
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
  /** Keeps the last values of the window. */
  const inWindow = (values: number[], value: unknown): number[] => [
    ...values.slice(values.length < nfu.window ? 0 : 1),
    number(value),
  ]
  const bounded = nfu.window > 0
  switch (nfu.op) {
    case 'forward':
      return unit(
        [],
        (values) => values,
        (_, value) => [value],
      )
    case 'filter':
      return unit(
        [],
        (values) => values,
        (_, value) => {
          const x = number(value)
          return x >= nfu.above && x <= nfu.below ? [value] : []
        },
      )
    case 'counter':
      return unit(
        state,
        ([count = 0]) => [count + 1],
        ([count]) => [count],
      )
    case 'average':
      if (bounded) return unit(state, inWindow, (values) => [sumOf(values) / values.length])
      return unit(
        state,
        ([sum = 0, count = 0], value) => [sum + number(value), count + 1],
        ([sum = 0, count = 1]) => [sum / count],
      )
    case 'min':
    case 'max': {
      const best = nfu.op === 'min' ? Math.min : Math.max
      const all = (values: number[], value: unknown): number[] => [best(...values, number(value))]
      return unit(state, bounded ? inWindow : all, (values) => [values.reduce((a, b) => best(a, b))])
    }
  }
}

const sumOf = (values: number[]): number => values.reduce((sum, x) => sum + x, 0)

function unit(
  from: readonly number[],
  next: (state: number[], value: unknown) => number[],
  outputsOf: (state: number[], value: unknown) => unknown[],
): Op {
  let state = [...from]
  const step = (value: unknown): unknown[] => {
    state = next(state, value)
    return outputsOf(state, value)
  }
  return Object.assign(step, { state: () => [...state] })
}
