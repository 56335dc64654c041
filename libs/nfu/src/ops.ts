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

/** What one value gives: any number of outputs, usually one. */
export type Op = (value: unknown) => unknown[]

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

/** A fresh unit with its own state. Its step throws `NfuError` when a value holds no number. */
export function createOp(nfu: Nfu): Op {
  const number = (value: unknown): number => {
    const found = nfu.field === undefined ? value : (value as Record<string, unknown> | null)?.[nfu.field]
    if (typeof found === 'number') return found
    throw new NfuError(
      nfu.field === undefined
        ? `The op '${nfu.op}' takes numbers; give 'field' to take one from an object.`
        : `The value has no number in '${nfu.field}'.`,
    )
  }
  switch (nfu.op) {
    case 'forward':
      return (value) => [value]
    case 'filter':
      return (value) => {
        const x = number(value)
        return x >= nfu.above && x <= nfu.below ? [value] : []
      }
    case 'counter': {
      let count = 0
      return () => {
        count += 1
        return [count]
      }
    }
    case 'average':
      return windowed(nfu.window, number, (values) => values.reduce((sum, x) => sum + x, 0) / values.length)
    case 'min':
      return windowed(nfu.window, number, (values) => values.reduce((a, b) => Math.min(a, b)))
    case 'max':
      return windowed(nfu.window, number, (values) => values.reduce((a, b) => Math.max(a, b)))
  }
}

function windowed(window: number, number: (value: unknown) => number, of: (values: number[]) => number): Op {
  const values: number[] = []
  return (value) => {
    values.push(number(value))
    if (window > 0 && values.length > window) values.shift()
    return [of(values)]
  }
}
