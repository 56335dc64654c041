/** Arguments of the operations, checked the same way for every engine. */
import type { EncodedValue } from '@hivemind/values'
import type { HistoryRange, Moment } from './contract.ts'
import { InvalidOptionError } from './errors.ts'

/** Largest value of `put`, in bytes. `putStream` writes larger ones. */
export const MAX_VALUE_BYTES = 64 * 1024 * 1024

/** Throws `InvalidOptionError` unless `put` takes a value. */
export function checkValue(key: string, { type, bytes }: EncodedValue): void {
  checkType(type)
  if (bytes.length > MAX_VALUE_BYTES)
    throw new InvalidOptionError(
      `'${key}' has ${bytes.length} bytes; put takes ${MAX_VALUE_BYTES} at most. Write it with putStream.`,
    )
}

/** The type that was found to be one last: it is often the same one. */
let lastType = ''

export function checkType(type: string): void {
  if (type === lastType) return
  if (type.length > 255 || /[^\x20-\x7e]/.test(type))
    throw new InvalidOptionError(`'${type.slice(0, 80)}' is not a media type, such as image/jpeg.`)
  lastType = type
}

export function checkVersion(version: number | undefined): void {
  if (version !== undefined && !(Number.isSafeInteger(version) && version >= 0))
    throw new InvalidOptionError(`expectedVersion is ${version}; it must be a version, or 0 for no object.`)
}

export const momentOf = ({ toTime }: HistoryRange): Moment | undefined =>
  toTime === undefined ? undefined : { time: toTime }

/** Throws `InvalidOptionError` unless a moment is a version or a time from 0. */
export function checkMoment(at: Moment | undefined): void {
  if (at === undefined) return
  const value = 'time' in at ? at.time : at.version
  const valid = 'time' in at ? Number.isFinite(value) : Number.isSafeInteger(value)
  if (!valid || value < 0)
    throw new InvalidOptionError(
      `The moment ${JSON.stringify(at)} is neither { version: whole number from 0 } nor { time: microseconds since 1970 }.`,
    )
}
