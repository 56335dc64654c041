/** Changes of what a node keeps: as an entry of its journal, and gathered for its database. */
import { numberOf, splitRecords } from './records.ts'

/** Parts of the name of a value: its kind, then what it belongs to. */
export type StateKey = string[]

/** One change. The text of a value is JSON; without it, the value is removed. */
export type Change =
  | { kind: 'records'; topic: string; records: readonly Buffer[] }
  | { kind: 'drop'; topic: string; upTo: number }
  | { kind: 'state'; key: StateKey; text?: Buffer }

/** What an entry says of each change, before the bytes of all of them: of records and values, how many are theirs. */
type Described =
  | ['records', topic: string, bytes: number]
  | ['drop', topic: string, upTo: number]
  | ['state', key: StateKey, bytes?: number]

const SIZE_BYTES = 4

/** An entry with these changes, in parts. */
export function entryOf(changes: readonly Change[]): Buffer[] {
  const parts: Buffer[] = []
  const sizeOf = (added: readonly Buffer[]): number => {
    parts.push(...added)
    return added.reduce((size, { length }) => size + length, 0)
  }
  const described = changes.map((change): Described => {
    if (change.kind === 'records') return ['records', change.topic, sizeOf(change.records)]
    if (change.kind === 'drop') return ['drop', change.topic, change.upTo]
    return change.text ? ['state', change.key, sizeOf([change.text])] : ['state', change.key]
  })
  const json = JSON.stringify(described)
  const head = Buffer.allocUnsafe(SIZE_BYTES + Buffer.byteLength(json))
  head.writeUInt32BE(head.length - SIZE_BYTES)
  head.write(json, SIZE_BYTES)
  return [head, ...parts]
}

/** The changes of an entry, as views of it. */
export function changesOf(entry: Buffer): Change[] {
  let at = SIZE_BYTES + entry.readUInt32BE()
  const next = (bytes: number): Buffer => {
    at += bytes
    return entry.subarray(at - bytes, at)
  }
  const described = JSON.parse(entry.toString('utf8', SIZE_BYTES, at)) as Described[]
  return described.map((each): Change => {
    if (each[0] === 'records')
      return { kind: 'records', topic: each[1], records: splitRecords(next(each[2])) }
    if (each[0] === 'drop') return { kind: 'drop', topic: each[1], upTo: each[2] }
    const [, key, bytes] = each
    return bytes === undefined ? { kind: 'state', key } : { kind: 'state', key, text: next(bytes) }
  })
}

/** What is to be done to the records of a topic: drop those up to a number, then add some. */
export interface TopicChange {
  upTo: number
  added: Buffer[]
}

/** Changes that the database does not have yet: only the last one of each value, and no records that were dropped again. */
export class Backlog {
  /** By topic. */
  readonly topics = new Map<string, TopicChange>()
  /** By the JSON of the key. */
  readonly state = new Map<string, { key: StateKey; text: Buffer | undefined }>()

  add(change: Change): void {
    if (change.kind === 'state') {
      this.state.set(JSON.stringify(change.key), { key: change.key, text: change.text })
      return
    }
    const topic = this.topics.get(change.topic) ?? { upTo: 0, added: [] }
    this.topics.set(change.topic, topic)
    if (change.kind === 'records') topic.added.push(...change.records)
    else {
      topic.upTo = Math.max(topic.upTo, change.upTo)
      topic.added = topic.added.filter((record) => numberOf(record) > change.upTo)
    }
  }

  clear(): void {
    this.topics.clear()
    this.state.clear()
  }
}
