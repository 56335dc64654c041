/** Files of earlier versions, which had the bytes of a version beside its key, and the order of writes in a table of its own. */
import type { Database } from 'lmdb'
import { encodeWrite, keyOf, keyRow, numbersKey, readNumber, versionOf } from './lmdb-rows.ts'
import type { Entry } from './table.ts'

type Rows = Database<Buffer, Buffer>

/** Header of a record: flags, length of the type, and seven numbers. */
const HEADER_BYTES = 1 + 2 + 7 * 8
const NOTHING = Buffer.alloc(0)

/** Moves the versions of a file that an earlier version wrote to the tables of today. To be called inside a commit. */
export function moveRecords(table: (name: string) => Rows, to: { writes: Rows; keys: Rows }): void {
  const records = table('records')
  for (const row of [...records.getKeys()]) {
    const pool = readNumber(row, 0)
    const entry = decodeRecord(row, records.get(row) as Buffer)
    to.writes.put(numbersKey(pool, entry.info.version), encodeWrite(entry))
    to.keys.put(keyRow(pool, entry.info.key, entry.info.version), NOTHING)
    records.remove(row)
  }
  for (const old of [table('log'), table('times')]) for (const row of [...old.getKeys()]) old.remove(row)
}

function decodeRecord(row: Buffer, value: Buffer): Entry {
  const number = (index: number) => readNumber(value, 3 + index * 8)
  const flags = value[0] as number
  const typeEnd = HEADER_BYTES + value.readUInt16BE(1)
  const size = number(4)
  return {
    info: {
      key: keyOf(row),
      version: versionOf(row),
      timestamp: number(0),
      previousVersion: number(1),
      previousKeyVersion: number(2),
      ordinal: number(3),
      removed: (flags & 1) !== 0,
      type: value.toString('latin1', HEADER_BYTES, typeEnd),
      size,
    },
    blob: flags & 2 ? { id: number(5), chunks: number(6), size } : null,
    bytes: value.subarray(typeEnd),
  }
}
