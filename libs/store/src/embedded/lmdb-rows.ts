/** Keys and values of the rows on disk. Numbers are big-endian, so that rows lie in the order of their numbers. */
import type { ObjectInfo } from '../contract.ts'
import type { Entry } from './table.ts'

const NUMBER_BYTES = 8
const REMOVED = 1
const CHUNKED = 2
/** Flags, lengths of the type and of the key, and seven numbers. */
const NUMBERS_AT = 1 + 2 + 2
const HEADER_BYTES = NUMBERS_AT + 7 * NUMBER_BYTES

/** Byte by byte: the methods of a buffer check what is known here, and every put writes a dozen numbers. */
function writeNumber(row: Buffer, value: number, at: number): number {
  const high = (value / 2 ** 32) >>> 0
  const low = value >>> 0
  row[at] = high >>> 24
  row[at + 1] = high >>> 16
  row[at + 2] = high >>> 8
  row[at + 3] = high
  row[at + 4] = low >>> 24
  row[at + 5] = low >>> 16
  row[at + 6] = low >>> 8
  row[at + 7] = low
  return at + 8
}

/** A number that `numbersKey` or `keyRow` wrote at an offset. */
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

/** Row that says that a key has a version. */
export function keyRow(pool: number, key: string, version: number): Buffer {
  const length = Buffer.byteLength(key)
  const row = Buffer.allocUnsafe(NUMBER_BYTES + length + 1 + NUMBER_BYTES)
  writeNumber(row, pool, 0)
  row.write(key, NUMBER_BYTES)
  // No path contains a null character: all versions of a key lie together, before those of the keys it begins.
  row[NUMBER_BYTES + length] = 0
  writeNumber(row, version, NUMBER_BYTES + length + 1)
  return row
}

/** Row of a key in a pool that keeps one version of each. */
export function singleRow(pool: number, key: string): Buffer {
  const length = Buffer.byteLength(key)
  const row = Buffer.allocUnsafe(NUMBER_BYTES + length + 1)
  writeNumber(row, pool, 0)
  row.write(key, NUMBER_BYTES)
  row[NUMBER_BYTES + length] = 0
  return row
}

/** Row before all versions of the keys of a pool that begin with a text. */
export function keysFrom(pool: number, text: string): Buffer {
  return Buffer.concat([numbersKey(pool), Buffer.from(text)])
}

/** The key of the object of a `keyRow` or a `singleRow`. */
export function keyOf(row: Buffer): string {
  return row.toString('utf8', NUMBER_BYTES, row.indexOf(0, NUMBER_BYTES))
}

/** The version of a `keyRow`. */
export const versionOf = (row: Buffer): number => readNumber(row, row.length - NUMBER_BYTES)

/** Value of a write: a header, the key, the type, then the bytes unless they are in chunks. */
export function encodeWrite({ info, blob, bytes }: Entry): Buffer {
  const { key, type } = info // the type has one byte a character, see `checkType`
  const keyLength = Buffer.byteLength(key)
  const row = Buffer.allocUnsafe(HEADER_BYTES + keyLength + type.length + bytes.length)
  row[0] = (info.removed ? REMOVED : 0) | (blob ? CHUNKED : 0)
  let at = row.writeUInt16BE(keyLength, row.writeUInt16BE(type.length, 1))
  at = writeNumber(row, info.timestamp, at)
  at = writeNumber(row, info.previousVersion, at)
  at = writeNumber(row, info.previousKeyVersion, at)
  at = writeNumber(row, info.ordinal, at)
  at = writeNumber(row, info.size, at)
  at = writeNumber(row, blob?.id ?? 0, at)
  at = writeNumber(row, blob?.chunks ?? 0, at)
  at += row.write(key, at)
  at += row.write(type, at, 'latin1')
  row.set(bytes, at)
  return row
}

/** Reads a write. */
export function decodeWrite(version: number, row: Buffer): Entry {
  const number = (index: number) => readNumber(row, NUMBERS_AT + index * NUMBER_BYTES)
  const flags = row[0] as number
  const keyEnd = HEADER_BYTES + row.readUInt16BE(3)
  const typeEnd = keyEnd + row.readUInt16BE(1)
  const info: ObjectInfo = {
    key: row.toString('utf8', HEADER_BYTES, keyEnd),
    version,
    timestamp: number(0),
    previousVersion: number(1),
    previousKeyVersion: number(2),
    ordinal: number(3),
    removed: (flags & REMOVED) !== 0,
    type: row.toString('latin1', keyEnd, typeEnd),
    size: number(4),
  }
  return {
    info,
    blob: flags & CHUNKED ? { id: number(5), chunks: number(6), size: info.size } : null,
    bytes: row.subarray(typeEnd),
  }
}

/** The time of a write. */
export const timestampOf = (row: Buffer): number => readNumber(row, NUMBERS_AT)
