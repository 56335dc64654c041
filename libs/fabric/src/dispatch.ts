import { FabricError } from './error.ts'
import { type Register, type RegisterBus, registerOf } from './registers.ts'

/** What a message of the dispatcher is; codes as on the wire (docs/fabric.md, "Dispatch: requests to workers"). */
export const MessageKind = {
  CALL: 1,
  START: 2,
  DISPATCH: 3,
  DONE: 4,
  RESOLVE: 5,
  ABANDON: 6,
  RESULT: 7,
} as const

/** A message of the dispatcher: 32 bytes. The payload stays where its sender has put it. */
export interface DispatchMessage {
  /** One of `MessageKind`. */
  kind: number
  task: number
  attempt: number
  /** Why it took the slow path; 0 elsewhere. */
  reason: number
  /** The function, or the workflow of a START. */
  function: number
  /** The sender's name for it; its highest byte is the number of the peer that gets the result. */
  request: number
  /** Handle of a dispatched request. */
  tag: number
  key: number
  /** Handle of the payload. */
  payload: number
  invocation: number
  payloadBytes: number
  worker: number
}

const BYTES = 32
const MAGIC = 0x5d
const VERSION = 1
const WORDS = ['function', 'request', 'tag', 'key', 'payload', 'invocation'] as const

/** The bytes of a message; what is left out is 0. */
export function encodeMessage(message: Partial<DispatchMessage> & { kind: number }): Buffer {
  const bytes = Buffer.alloc(BYTES)
  bytes.writeUInt8(MAGIC, 0)
  bytes.writeUInt8((VERSION << 4) | message.kind, 1)
  bytes.writeUInt8(message.task ?? 0, 2)
  bytes.writeUInt8(((message.attempt ?? 0) << 4) | (message.reason ?? 0), 3)
  for (const [n, name] of WORDS.entries()) bytes.writeUInt32BE(message[name] ?? 0, 4 + 4 * n)
  bytes.writeUInt16BE(message.payloadBytes ?? 0, 28)
  bytes.writeUInt16BE(message.worker ?? 0, 30)
  return bytes
}

/** Whether bytes are a message of this version. */
export const isMessage = (bytes: Buffer): boolean =>
  bytes.length === BYTES && bytes[0] === MAGIC && bytes.readUInt8(1) >> 4 === VERSION

/** Reads a message. Throws `board` when the bytes are none. */
export function decodeMessage(bytes: Buffer): DispatchMessage {
  if (!isMessage(bytes))
    throw new FabricError('board', `What came is no message of the dispatcher: ${bytes.toString('hex')}.`)
  const [first, ...rest] = WORDS.map((name, n) => [name, bytes.readUInt32BE(4 + 4 * n)] as const)
  return {
    kind: bytes.readUInt8(1) & 15,
    task: bytes.readUInt8(2),
    attempt: bytes.readUInt8(3) >> 4,
    reason: bytes.readUInt8(3) & 15,
    ...(Object.fromEntries([first, ...rest] as [string, number][]) as Record<(typeof WORDS)[number], number>),
    payloadBytes: bytes.readUInt16BE(28),
    worker: bytes.readUInt16BE(30),
  }
}

/** Says where a peer is: the worker of its number, or whom a request's highest byte names. */
export async function writePeer(
  bus: RegisterBus,
  map: readonly Register[],
  number: number,
  peer: { mac: string; address: number; port: number },
): Promise<void> {
  await bus.write(registerOf(map, 'shell', 'PEER_ADDRESS').address, peer.address)
  await bus.write(registerOf(map, 'shell', 'PEER_MAC').address, Number.parseInt(peer.mac.slice(4), 16))
  const high = Number.parseInt(peer.mac.slice(0, 4), 16)
  await bus.write(registerOf(map, 'shell', 'PEER_PORT').address, high * 0x1_0000 + peer.port)
  await bus.write(registerOf(map, 'shell', 'PEER').address, number | 0x100)
}

/** The tables of the dispatcher, by their numbers. */
const MATCH_TABLE = 0
const [ROW_BYTES, COMMIT_BUSY] = [16, 2]

/**
 * Gives a function its workers, at most eight, in a way of the match table; none takes them away.
 * @param functions places of the match table (the hard parameter)
 * @param way 0 or 1: two functions of one row (`rowOf`) need one each
 */
export async function writeWorkers(
  bus: RegisterBus,
  map: readonly Register[],
  functions: number,
  id: number,
  workers: readonly number[],
  way = 0,
): Promise<void> {
  const row = Buffer.alloc(ROW_BYTES)
  row.writeUInt32LE(id, 0)
  row.writeUInt8(workers.length, 4)
  for (const [n, worker] of workers.entries()) row.writeUInt8(worker, 5 + n)
  for (let n = 0; n < 4; n++)
    await bus.write(registerOf(map, 'dispatch', `ROW_${n}`).address, row.readUInt32LE(4 * n))
  await bus.write(
    registerOf(map, 'dispatch', 'PLACE').address,
    (rowOf(functions, id) + (way * functions) / 2) | (MATCH_TABLE << 16),
  )
  await bus.write(registerOf(map, 'dispatch', 'COMMIT').address, 1)
  const { address } = registerOf(map, 'dispatch', 'STATUS')
  while ((await bus.read(address)) & COMMIT_BUSY);
}

/** The row of either way of the match table that a function's place is in. */
export const rowOf = (functions: number, id: number): number => crc16(id) & (functions / 2 - 1)

/** CRC-16 with polynomial 0x1021, from 0, of a word of 32 bits. */
export function crc16(word: number): number {
  let crc = 0
  for (let bit = 31; bit >= 0; bit--) {
    const out = ((crc >> 15) ^ (word >>> bit)) & 1
    crc = ((crc << 1) & 0xffff) ^ (out ? 0x1021 : 0)
  }
  return crc
}
