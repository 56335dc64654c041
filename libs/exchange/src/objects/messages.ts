/** What the requests for objects carry: between client and edge node the same as between edge node and backend. */
import { ExchangeError } from '../errors.ts'
import { namesOf } from '../fields.ts'
import type { Header } from '../frame.ts'
import { bytesOf, recordOf, splitRecords } from '../records.ts'

/** Largest object, in bytes. */
export const MAX_OBJECT_BYTES = 8 * 1024 * 1024

/** Throws `ExchangeError` when the value of an object is too large. */
export function expectSize(name: string, { length }: Uint8Array): void {
  if (length > MAX_OBJECT_BYTES)
    throw new ExchangeError(
      `The object '${name}' of ${length} bytes is refused: the limit is ${MAX_OBJECT_BYTES}.`,
    )
}

/** The lock that a request is inside of; '' for none. */
export const lockOf = (header: Header): string => (typeof header.lock === 'string' ? header.lock : '')

const NOTHING = new Uint8Array()

/** The values of a commit, in the order of their names, as a body. Null is a removal. */
export const bodyOfValues = (values: Iterable<Uint8Array | null>): Buffer =>
  Buffer.concat([...values].map((value, at) => recordOf(at, value ?? NOTHING)))

/** The names of a commit, and which of them are removed, as fields of a header. */
export const fieldsOfValues = (values: ReadonlyMap<string, Uint8Array | null>) => ({
  names: [...values.keys()],
  removed: [...values].flatMap(([name, value]) => (value === null ? [name] : [])),
})

/** The values of a commit by name, null for those that are removed. Throws `ExchangeError` when there is not one for each name. */
export function valuesOf(header: Header, body: Buffer): Map<string, Buffer | null> {
  const removed = new Set(Array.isArray(header.removed) ? header.removed : [])
  const names = namesOf(header, 'names')
  const records = splitRecords(body)
  if (records.length !== names.length)
    throw new ExchangeError(
      `'${header.type}' names ${names.length} objects and has ${records.length} values: it takes one value for each.`,
    )
  return new Map(names.map((name, at) => [name, removed.has(name) ? null : bytesOf(records[at] as Buffer)]))
}
