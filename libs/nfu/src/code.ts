/** Reads the code of a network functional unit: `nfu:OP` or `nfu:OP?name=value&name=value`. */
import { isOp, OP_NAMES, OPS, type OpName, WIDEST_WINDOW } from './parameters.ts'

/** A fault in the code of a functional unit, or a value that an op cannot take. The message says which and why. */
export class NfuError extends Error {
  override readonly name = 'NfuError'
}

/** A functional unit as its code describes it. */
export interface Nfu {
  op: OpName
  /** Number of values that make one summary of an aggregate; 0 means a summary of all so far for each value. */
  window: number
  /** Number of values that make one message of `counter`. */
  count: number
  /** Field of an object that holds the number; the value itself when absent. */
  field: string | undefined
  /** Smallest and largest number that `filter` lets through, both inclusive. */
  above: number
  below: number
}

/**
 * One thing that is wrong with the code of a functional unit.
 * `form`: it is not written `nfu:OP?name=value&...`. `op`: the op is unknown. `parameter`: the op has no such parameter,
 * or it is given twice. `value`: the value of a parameter is not possible.
 */
export interface NfuProblem {
  kind: 'form' | 'op' | 'parameter' | 'value'
  /** The op or the parameter concerned; empty for `form`. */
  name: string
  /** A sentence that names what is wrong and what is allowed. */
  message: string
}

/** Reads a code with everything that is wrong with it; `nfu` is `null` unless nothing is. */
export function readNfu(code: string): { nfu: Nfu | null; problems: NfuProblem[] } {
  const match = /^nfu:([^?]*)(?:\?([\s\S]*))?$/.exec(code)
  const op = match?.[1] ?? ''
  if (!match || op === '')
    return problem('form', '', `'${code}' is no functional unit: write nfu:OP or nfu:OP?name=value.`)
  if (!isOp(op)) return problem('op', op, `There is no op '${op}'. Known: ${OP_NAMES.join(', ')}.`)
  const nfu: Nfu = { op, window: 0, count: 1, field: undefined, above: -Infinity, below: Infinity }
  if (match[2] === undefined) return { nfu, problems: [] }
  const problems = match[2].split('&').flatMap((part, index, parts) => readParameter(nfu, part, parts, index))
  if (problems.length === 0 && nfu.above > nfu.below)
    problems.push({
      kind: 'value',
      name: 'below',
      message: `Nothing passes this filter: 'above' is ${nfu.above} and 'below' only ${nfu.below}.`,
    })
  return { nfu: problems.length === 0 ? nfu : null, problems }
}

const problem = (kind: NfuProblem['kind'], name: string, message: string) => ({
  nfu: null,
  problems: [{ kind, name, message }],
})

/**
 * Whether the fabric can run it: an aggregate there has a window, and a counter a count, of 1 to `WIDEST_WINDOW` readings. False
 * for what is no network function.
 */
export function fitsFabric(code: string): boolean {
  const { nfu } = readNfu(code)
  if (!nfu) return false
  if (!OPS[nfu.op].stateful) return true
  const readings = nfu.op === 'counter' ? nfu.count : nfu.window
  return readings >= 1 && readings <= WIDEST_WINDOW
}

/** Sets one parameter in `nfu`; returns what is wrong with it. */
function readParameter(nfu: Nfu, part: string, parts: readonly string[], index: number): NfuProblem[] {
  const { op } = nfu
  const written = /^([A-Za-z_]\w*)=(.*)$/s.exec(part)
  if (!written)
    return [
      {
        kind: 'form',
        name: '',
        message: `The parameters of a functional unit are written 'nfu:${op}?name=value&name=value'; '${part}' is not.`,
      },
    ]
  const [, name = '', text = ''] = written
  const { parameters } = OPS[op]
  const parameter = parameters.find((one) => one.name === name)
  if (!parameter) {
    const known = parameters.map((one) => one.name).join(', ') || 'none'
    return [
      { kind: 'parameter', name, message: `The op '${op}' has no parameter '${name}'. Known: ${known}.` },
    ]
  }
  if (parts.findIndex((other) => other.startsWith(`${name}=`)) < index)
    return [{ kind: 'parameter', name, message: `'${name}' of the op '${op}' is given twice; keep one.` }]
  if (parameter.name === 'field') {
    if (text.trim() === '') return [{ kind: 'value', name, message: `'field' of the op '${op}' is empty.` }]
    nfu.field = text
    return []
  }
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(value))
    return [{ kind: 'value', name, message: `'${name}' of the op '${op}' must be a number.` }]
  if (parameter.value === 'count' && (!Number.isSafeInteger(value) || value < 1))
    return [{ kind: 'value', name, message: `'${name}' of the op '${op}' must be a whole number from 1.` }]
  nfu[parameter.name] = value
  return []
}

/** Reads `nfu:OP?name=value&...`. Throws `NfuError`, which names what is wrong and what is allowed. */
export function parseNfu(code: string): Nfu {
  const { nfu, problems } = readNfu(code)
  if (nfu) return nfu
  throw new NfuError(problems[0]?.message ?? `'${code}' is no functional unit.`)
}
