/** Reads values of unknown JSON field by field; errors name the path of the wrong field. */
import { checkLength, ImportError, quoted } from './error.ts'

export type Fields = Record<string, unknown>

/** Parses a JSON text; a value that is no text is returned as it is. */
export function jsonOf(json: unknown): unknown {
  if (typeof json !== 'string') return json
  checkLength(json)
  const text = json.charCodeAt(0) === 0xfeff ? json.slice(1) : json
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ImportError('the whole file', `it is not JSON (${quoted(why)}).`)
  }
}

export function describe(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'string' ? `the text ${quoted(value)}` : `the ${typeof value} ${String(value)}`
}

const own = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) && fields[name] !== null ? fields[name] : undefined

/** The first of the fields that is present and not null, with its name. */
function first(fields: Fields, names: readonly string[]): { name: string; value: unknown } | undefined {
  for (const name of names) {
    const value = own(fields, name)
    if (value !== undefined) return { name, value }
  }
  return undefined
}

export function objectAt(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ImportError(where, `an object belongs here, not ${describe(value)}.`)
  return value as Fields
}

export function objectIn(fields: Fields, name: string, where: string): Fields | undefined {
  const value = own(fields, name)
  return value === undefined ? undefined : objectAt(value, join(where, name))
}

export function listIn(fields: Fields, name: string, where: string): unknown[] | undefined {
  const value = own(fields, name)
  if (value === undefined) return undefined
  if (!Array.isArray(value))
    throw new ImportError(join(where, name), `a list belongs here, not ${describe(value)}.`)
  return value
}

/** A list of texts, each once; absent is empty. */
export function textsIn(fields: Fields, name: string, where: string): string[] {
  const list = listIn(fields, name, where) ?? []
  for (const [at, value] of list.entries())
    if (typeof value !== 'string' || value === '')
      throw new ImportError(
        `${join(where, name)}[${at}]`,
        `a text that is not empty belongs here, not ${describe(value)}.`,
      )
  return [...new Set(list as string[])]
}

export function textIn(fields: Fields, name: string, where: string): string | undefined {
  const value = own(fields, name)
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '')
    throw new ImportError(join(where, name), `a text that is not empty belongs here, not ${describe(value)}.`)
  return value
}

/** A number from 0 to `max`, in the first of the fields that is present; undefined when none is. */
export function amountIn(
  fields: Fields,
  names: readonly string[],
  where: string,
  max: number,
): number | undefined {
  const found = first(fields, names)
  if (!found) return undefined
  const { name, value } = found
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > max)
    throw new ImportError(
      join(where, name),
      `a number from 0 to ${max} belongs here, not ${describe(value)}.`,
    )
  return value
}

export const join = (where: string, name: string) => (where === '' ? name : `${where}.${name}`)
