/**
 * Network functional units in software: the reference of what an op does (InLocus paper, its function set: average,
 * counter, minimum, maximum, filter, forward). A value is a number, or an object of which `field` names a number.
 */

/** A function that is no network functional unit, or a value it cannot take. The message says which and why. */
export class NfuError extends Error {
  override readonly name = 'NfuError'
}

/** Name of an op. */
export type OpName = 'average' | 'counter' | 'min' | 'max' | 'filter' | 'forward'

/** A parsed `nfu:OP?..`: the op and its parameters. */
export interface Nfu {
  op: OpName
  /** Values an aggregate looks back on, the newest included; unbounded when 0. */
  window: number
  /** Field of an object that holds the number; the value itself when absent. */
  field: string | undefined
  /** Bounds of what `filter` lets through, both inclusive. */
  above: number
  below: number
}

/** A unit at work. */
export interface Op {
  /** What one value gives: any number of outputs, usually one. Throws `NfuError` when the value holds no number. */
  (value: unknown): unknown[]
  /** What it keeps of the values so far: `createOp` goes on from it. Empty for ops that look at one value only. */
  state(): number[]
}

/** The ops that look back on earlier values. */
const LOOKING_BACK: readonly OpName[] = ['average', 'counter', 'min', 'max']

/** Whether what a unit gives depends on the values before. */
export function keepsState({ op }: Nfu): boolean {
  return LOOKING_BACK.includes(op)
}

const OPS: readonly string[] = ['average', 'counter', 'min', 'max', 'filter', 'forward'] satisfies OpName[]
const PARAMS: Record<OpName, readonly string[]> = {
  average: ['window', 'field'],
  counter: ['field'],
  min: ['window', 'field'],
  max: ['window', 'field'],
  filter: ['above', 'below', 'field'],
  forward: [],
}

/** Reads `nfu:OP?name=value&...`. Throws `NfuError`, which names what is wrong and what is allowed. */
export function parseNfu(code: string): Nfu {
  const match = /^nfu:([A-Za-z]+)(?:\?(.*))?$/.exec(code)
  if (!match) throw new NfuError(`'${code}' is no functional unit: write nfu:OP or nfu:OP?name=value.`)
  const name = match[1] as string
  if (!OPS.includes(name)) throw new NfuError(`There is no op '${name}'. Known: ${OPS.join(', ')}.`)
  const op = name as OpName
  const nfu: Nfu = { op, window: 0, field: undefined, above: -Infinity, below: Infinity }
  for (const part of (match[2] ?? '').split('&').filter((text) => text !== '')) {
    const at = part.indexOf('=')
    const key = at < 0 ? part : part.slice(0, at)
    const text = at < 0 ? '' : part.slice(at + 1)
    if (!PARAMS[op].includes(key))
      throw new NfuError(
        `The op '${op}' has no parameter '${key}'. Known: ${PARAMS[op].join(', ') || 'none'}.`,
      )
    if (key === 'field') nfu.field = text
    else {
      const value = Number(text)
      if (text === '' || Number.isNaN(value))
        throw new NfuError(`'${key}' of the op '${op}' must be a number.`)
      if (key === 'window' && (!Number.isInteger(value) || value < 1))
        throw new NfuError(`'window' of the op '${op}' must be a whole number from 1.`)
      nfu[key as 'window' | 'above' | 'below'] = value
    }
  }
  return nfu
}

/** Makes a unit that goes on from `state`, or begins anew without it. */
export function createOp(nfu: Nfu, state: readonly number[] = []): Op {
  const number = (value: unknown): number => {
    const found = nfu.field === undefined ? value : (value as Record<string, unknown> | null)?.[nfu.field]
    if (typeof found === 'number') return found
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
