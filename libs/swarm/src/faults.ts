/** Checks values from outside against a schema; each fault names its field and how to fix it. */
import type { Field, Quantity, Schema } from './schema.ts'

/** One fault of a value. */
export interface Fault {
  /** Names and indexes from the outermost record to the field, such as `devices.0.class.cores`; empty for the value itself. */
  path: string
  /** Follows the field's name in a sentence: `must be a number from 1 to 64, not 0.` */
  message: string
}

const print = (value: number): string => value.toLocaleString('en-GB', { maximumFractionDigits: 6 })

/** What a number of this range must be: `must be a number from 0 to 1,000 ms`. */
export function rangeRule(kind: 'number' | 'integer', { min, max, unit }: Quantity): string {
  return `must be a ${kind === 'integer' ? 'whole number' : 'number'} from ${print(min)} to ${print(max)}${unit && ` ${unit}`}`
}

function describe(value: unknown): string {
  if (value === undefined || value === '') return 'empty'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 37)}…` : text
}

const entries = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`

const at = (path: string, name: string | number): string => (path === '' ? String(name) : `${path}.${name}`)

/** The faults of a value, in the order of the schema; none when it is valid. Fields that the schema does not have are faults. */
export function faultsOf(schema: Field, value: unknown, path = ''): Fault[] {
  const fault = (message: string): Fault[] => [{ path, message: `${message}, not ${describe(value)}.` }]
  switch (schema.kind) {
    case 'optional':
      return value === undefined ? [] : faultsOf(schema.of, value, path)
    case 'unknown':
      return []
    case 'boolean':
      return typeof value === 'boolean' ? [] : fault('must be true or false')
    case 'string': {
      if (typeof value !== 'string') return fault('must be text')
      const { max } = schema
      return max === undefined || value.length <= max
        ? []
        : [{ path, message: `must have at most ${max} characters, not ${value.length}.` }]
    }
    case 'number':
    case 'integer': {
      const isNumber = schema.kind === 'integer' ? Number.isInteger(value) : Number.isFinite(value)
      const { quantity } = schema
      if (!quantity) return isNumber ? [] : fault('must be a number')
      const inRange = isNumber && (value as number) >= quantity.min && (value as number) <= quantity.max
      return inRange ? [] : fault(rangeRule(schema.kind, quantity))
    }
    case 'enum':
      return typeof value === 'string' && schema.values.includes(value)
        ? []
        : fault(`must be ${schema.values.map((each) => `"${each}"`).join(' or ')}`)
    case 'list': {
      if (!Array.isArray(value)) return fault('must be a list')
      const { min = 0, max = Number.POSITIVE_INFINITY } = schema
      if (value.length < min)
        return [{ path, message: `must have at least ${entries(min)}, not ${value.length}.` }]
      if (value.length > max)
        return [{ path, message: `must have at most ${entries(max)}, not ${value.length}.` }]
      return value.flatMap((each, index) => faultsOf(schema.of, each, at(path, index)))
    }
    case 'record':
      return recordFaults(schema.fields, value, path)
    case 'variants': {
      const type =
        typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined
      const fields = typeof type === 'string' ? schema.variants[type] : undefined
      if (!fields) return fault(`must have a type: ${Object.keys(schema.variants).join(', ')}`)
      return recordFaults({ type: { kind: 'string' }, ...fields }, value, path)
    }
  }
}

function recordFaults(fields: Readonly<Record<string, Field>>, value: unknown, path: string): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ path, message: `must be an object, not ${describe(value)}.` }]
  const known = Object.entries(fields).flatMap(([name, field]) =>
    faultsOf(
      field,
      Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined,
      at(path, name),
    ),
  )
  const unknown = Object.keys(value)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => ({
      path: at(path, name),
      message: `is not a known field. Known: ${Object.keys(fields).join(', ')}.`,
    }))
  return [...known, ...unknown]
}

/** The schema at a path of `faultsOf`, as an entry `0` of a list has it; `undefined` when there is none. */
export function schemaAt(schema: Field, path: string): Schema | undefined {
  const inner = schema.kind === 'optional' ? schema.of : schema
  if (path === '') return inner
  const [first = '', ...rest] = path.split('.')
  const next =
    inner.kind === 'list'
      ? inner.of
      : inner.kind === 'record' && Object.hasOwn(inner.fields, first)
        ? inner.fields[first]
        : undefined
  return next && schemaAt(next, rest.join('.'))
}
