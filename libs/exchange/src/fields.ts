/** Reads the fields of headers that others have written. */
import { ExchangeError } from './errors.ts'
import type { Header } from './frame.ts'

const MAX_NAME_CHARACTERS = 200
const MAX_NAMES = 1_000

const refuse = (header: Header, field: string, expected: string): never => {
  throw new ExchangeError(
    `The field '${field}' of '${header.type}' must be ${expected}; it is ${JSON.stringify(header[field])?.slice(0, 80)}.`,
  )
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARACTERS

/** Throws `ExchangeError` unless an edge node may have this name. */
export function checkNodeName(name: string): void {
  if (!isName(name as unknown))
    throw new ExchangeError(
      `'${name.slice(0, 80)}' cannot be the name of an edge node: give a text of 1 to ${MAX_NAME_CHARACTERS} characters.`,
    )
}

/** A name: of a topic, a client, a node. */
export function nameOf(header: Header, field: string): string {
  const value = header[field]
  if (!isName(value)) return refuse(header, field, `a text of 1 to ${MAX_NAME_CHARACTERS} characters`)
  return value
}

/** Names of up to 1,000 different objects. */
export function namesOf(header: Header, field: string): string[] {
  const value = header[field]
  const isNames =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_NAMES &&
    value.every(isName) &&
    new Set(value).size === value.length
  if (!isNames)
    return refuse(
      header,
      field,
      `a list of 1 to ${MAX_NAMES} different texts of 1 to ${MAX_NAME_CHARACTERS} characters`,
    )
  return value
}

/** A whole number that is not negative. */
export function countOf(header: Header, field: string): number {
  const value = header[field]
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    return refuse(header, field, 'a whole number, 0 or more')
  return value as number
}

/** Names to whole numbers. */
export function countsOf(header: Header, field: string): Map<string, number> {
  const value = header[field]
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(header, field, 'an object of whole numbers')
  for (const count of Object.values(value))
    if (!Number.isSafeInteger(count) || count < 0)
      refuse(header, field, 'an object of whole numbers, 0 or more')
  return new Map(Object.entries(value as Record<string, number>))
}
