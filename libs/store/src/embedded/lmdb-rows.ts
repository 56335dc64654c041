/** Keys and values of the rows on disk. Numbers are big-endian, so that rows lie in the order of their numbers. */
import type { ObjectInfo } from '../contract.ts'
import type { Entry } from './table.ts'

const NUMBER_BYTES = 8
const REMOVED = 1
const CHUNKED = 2
/** Flags, length of the type, and seven numbers. */
const HEADER_BYTES = 1 + 2 + 7 * NUMBER_BYTES

function writeNumber(row: Buffer, value: number, at: number): number {
  row.writeUInt32BE(Math.floor(value / 2 ** 32), at)
  return row.writeUInt32BE(value % 2 ** 32, at + 4)
}

/** A number that `numbersKey` or `recordKey` wrote at an offset. */
export function readNumber(row: Buffer, at: number): number {
  return row.readUInt32BE(at) * 2 ** 32 + row.readUInt32BE(at + 4)
}

/** Row of some numbers below 2^53, such as a pool and a version. */
export function numbersKey(...numbers: number[]): Buffer {
  const row = Buffer.allocUnsafe(numbers.length * NUMBER_BYTES)
  let at = 0
  for (const each of numbers) at = writeNumber(row, each, at)
  return row
}

/** Row of a version of an object. */
export function recordKey(pool: number, key: string, version: number): Buffer {
  const length = Buffer.byteLength(key)
  const row = Buffer.allocUnsafe(NUMBER_BYTES + length + 1 + NUMBER_BYTES)
  writeNumber(row, pool, 0)
  row.write(key, NUMBER_BYTES)
  // No path contains a null character: all versions of a key lie together, before those of the keys it begins.
  row[NUMBER_BYTES + length] = 0
  writeNumber(row, version, NUMBER_BYTES + length + 1)
  return row
}

/** Row before all versions of the keys of a pool that begin with a text. */
export function keysFrom(pool: number, text: string): Buffer {
  return Buffer.concat([numbersKey(pool), Buffer.from(text)])
}

/** The key of the object of a `recordKey`. */
export function keyOf(row: Buffer): string {
  return row.toString('utf8', NUMBER_BYTES, row.length - 1 - NUMBER_BYTES)
}

/** Value of a write in the log: its timestamp, then its key. */
export function logRow({ timestamp, key }: Pick<ObjectInfo, 'timestamp' | 'key'>): Buffer {
  const row = Buffer.allocUnsafe(NUMBER_BYTES + Buffer.byteLength(key))
  row.write(key, writeNumber(row, timestamp, 0))
  return row
}

/** The key of a `logRow`. */
export const keyOfLogRow = (row: Buffer): string => row.toString('utf8', NUMBER_BYTES)

/** Value of a version: a header, then the bytes unless they are in chunks. */
export function encodeRecord({ info, blob, bytes }: Entry): Buffer {
  const { type } = info // one byte a character, see `checkType`
  const row = Buffer.allocUnsafe(HEADER_BYTES + type.length + bytes.length)
  row[0] = (info.removed ? REMOVED : 0) | (blob ? CHUNKED : 0)
  let at = row.writeUInt16BE(type.length, 1)
  for (const each of [
    info.timestamp,
    info.previousVersion,
    info.previousKeyVersion,
    info.ordinal,
    info.size,
    blob?.id ?? 0,
    blob?.chunks ?? 0,
  ])
    at = writeNumber(row, each, at)
  row.write(type, at, 'latin1')
  row.set(bytes, at + type.length)
  return row
}

/** Reads a version. */
export function decodeRecord(key: string, version: number, row: Buffer): Entry {
  const number = (index: number) => readNumber(row, 3 + index * NUMBER_BYTES)
  const flags = row[0] as number
  const typeEnd = HEADER_BYTES + row.readUInt16BE(1)
  const info: ObjectInfo = {
    key,
    version,
    timestamp: number(0),
    previousVersion: number(1),
    previousKeyVersion: number(2),
    ordinal: number(3),
    removed: (flags & REMOVED) !== 0,
    type: row.toString('utf8', HEADER_BYTES, typeEnd),
    size: number(4),
  }
  return {
    info,
    blob: flags & CHUNKED ? { id: number(5), chunks: number(6), size: info.size } : null,
    bytes: row.subarray(typeEnd),
  }
}
