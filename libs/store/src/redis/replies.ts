/** Answers of the store's functions in Redis as objects and errors. */
import type { ObjectInfo } from '../contract.ts'
import {
  ForgottenVersionError,
  FutureVersionError,
  StoreError,
  UnknownPoolError,
  VersionConflictError,
} from '../errors.ts'
import type { Reply } from './server.ts'

/** A version, and where its bytes are when they were written in chunks. */
export interface Entry {
  info: ObjectInfo
  blob: { id: string; chunks: number } | null
}

/** A version and the bytes that are with it: none when they are in chunks. */
export interface Found {
  entry: Entry
  bytes: Buffer
}

const LINE_FEED = 10
const NOTHING = Buffer.alloc(0)

/** Reads a record: the info of a version, a line feed, and its bytes. */
export function recordOf(key: Buffer | string, record: Buffer): Found {
  const end = record.indexOf(LINE_FEED)
  if (end < 0) return { entry: entryOf(key, record), bytes: NOTHING }
  return { entry: entryOf(key, record.toString('latin1', 0, end)), bytes: record.subarray(end + 1) }
}

/** Reads what the functions write as the info of a version. */
export function entryOf(key: Buffer | string, packed: Buffer | string): Entry {
  const text = packed.toString()
  let start = 0
  const field = () => {
    const end = text.indexOf('|', start)
    const found = text.slice(start, end)
    start = end + 1
    return found
  }
  const info: ObjectInfo = {
    key: key.toString(),
    version: Number(field()),
    timestamp: Number(field()),
    previousVersion: Number(field()),
    previousKeyVersion: Number(field()),
    ordinal: Number(field()),
    removed: field() === '1',
    type: '',
    size: Number(field()),
  }
  const id = field()
  const chunks = Number(field())
  info.type = text.slice(start)
  return { info, blob: id ? { id, chunks } : null }
}

/** The versions in a list of keys and infos. */
export function infosOf(values: readonly Buffer[]): ObjectInfo[] {
  const infos: ObjectInfo[] = []
  for (let at = 0; at + 1 < values.length; at += 2)
    infos.push(entryOf(values[at] as Buffer, values[at + 1] as Buffer).info)
  return infos
}

const REFUSALS: Record<string, (reply: Reply, pool: string, asked: number) => Error> = {
  unknown: (_, pool) => new UnknownPoolError(pool),
  conflict: ({ text }) => new VersionConflictError(text(0), Number(text(1)), Number(text(2))),
  future: ({ text }, pool, asked) => new FutureVersionError(pool, asked, Number(text(0))),
  forgotten: ({ text }) => new ForgottenVersionError(text(0), Number(text(1)), Number(text(2))),
  expired: ({ text }) =>
    new StoreError(
      `'${text(0)}' was not written: its upload took longer than chunks are kept. Upload it again.`,
    ),
}

/** The answer itself, unless it is a refusal, which is thrown. */
export function accepted(reply: Reply, pool: string, asked = 0): Reply {
  const refusal = REFUSALS[reply.status]
  if (refusal) throw refusal(reply, pool, asked)
  return reply
}
