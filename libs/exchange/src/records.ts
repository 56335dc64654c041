/** A record: one message as it is kept, sent and stored: its number (float64, big-endian), its size (32 bits), its bytes. */
import { ExchangeError } from './errors.ts'

/** A message of a topic. */
export interface Message {
  /** Number of the message in its topic: the same for all subscribers, ascending. */
  number: number
  bytes: Uint8Array
}

const NUMBER_BYTES = 8
const HEAD_BYTES = 12

/** The record of a message. */
export function recordOf(number: number, bytes: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(HEAD_BYTES + bytes.length)
  record.writeDoubleBE(number, 0)
  record.writeUInt32BE(bytes.length, NUMBER_BYTES)
  record.set(bytes, HEAD_BYTES)
  return record
}

export const numberOf = (record: Buffer): number => record.readDoubleBE(0)

export const renumber = (record: Buffer, number: number): void => {
  record.writeDoubleBE(number, 0)
}

export const bytesOf = (record: Buffer): Buffer => record.subarray(HEAD_BYTES)

export const messageOf = (record: Buffer): Message => ({ number: numberOf(record), bytes: bytesOf(record) })

/** The records of a body, as views of it. Throws `ExchangeError` when the body is cut short. */
export function splitRecords(body: Buffer): Buffer[] {
  const records: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const end = at + HEAD_BYTES + (body.length - at < HEAD_BYTES ? 0 : body.readUInt32BE(at + NUMBER_BYTES))
    if (end > body.length)
      throw new ExchangeError(`A body of ${body.length} bytes ends inside the record at byte ${at}.`)
    records.push(body.subarray(at, end))
    at = end
  }
  return records
}
