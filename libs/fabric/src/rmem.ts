import { setTimeout as sleep } from 'node:timers/promises'
import { FabricError } from './error.ts'
import { type Register, type RegisterBus, registerOf } from './registers.ts'

/** How a request to remote memory ended; codes as on the wire (docs/fabric.md, "Remote memory"). */
export const RmemStatus = {
  OK: 0,
  MALFORMED: 1,
  TOO_LONG: 2,
  UNKNOWN_NAME: 3,
  NOT_PERMITTED: 4,
  OUT_OF_BOUNDS: 5,
  MEMORY_ERROR: 6,
} as const

/** A request to remote memory: of `data` a write, of `length` bytes a read. The class of the requester is the fabric's to say. */
export type RmemRequest = { name: bigint; offset: bigint; requester?: number; tag?: number } & (
  | { data: Uint8Array }
  | { length: number }
)

/** What remote memory answers. */
export interface RmemResponse {
  requester: number
  tag: number
  /** One of `RmemStatus`. */
  status: number
  /** What was read. */
  data: Buffer
}

const REQUEST_BYTES = 32
const RESPONSE_BYTES = 16
const VERSION = 1

/** The bytes of a request. */
export function encodeRequest(request: RmemRequest): Buffer {
  const header = Buffer.alloc(REQUEST_BYTES)
  const isWrite = 'data' in request
  header.writeUInt8(VERSION, 0)
  header.writeUInt8(isWrite ? 2 : 1, 1)
  header.writeUInt16BE(request.requester ?? 0, 2)
  header.writeUInt32BE(request.tag ?? 0, 4)
  header.writeBigUInt64BE(request.name, 8)
  header.writeBigUInt64BE(request.offset, 16)
  header.writeUInt32BE(isWrite ? request.data.length : request.length, 24)
  return isWrite ? Buffer.concat([header, request.data]) : header
}

/** Whether bytes are a response of this version. */
export const isResponse = (bytes: Buffer): boolean =>
  bytes.length >= RESPONSE_BYTES &&
  bytes[0] === VERSION &&
  bytes.readUInt32BE(12) >= bytes.length - RESPONSE_BYTES

/** Reads a response. Throws `board` when the bytes are none. */
export function decodeResponse(bytes: Buffer): RmemResponse {
  if (!isResponse(bytes))
    throw new FabricError('board', `What came is no response of remote memory: ${bytes.toString('hex')}.`)
  return {
    requester: bytes.readUInt16BE(2),
    tag: bytes.readUInt32BE(4),
    status: bytes.readUInt8(8),
    data: bytes.subarray(RESPONSE_BYTES),
  }
}

/** An object of the table: `size` bytes of the memory from `base` on. Bit n of `readers` and `writers` is for class n. */
export interface PlacedObject {
  name: bigint
  /** A multiple of 16. */
  base: number
  size: number
  readers: number
  writers: number
}

const OUTCOMES = [
  undefined,
  'there is no such object',
  'its set of the table is full',
  'it reaches beyond the memory',
]
const INSERT = 1
const REMOVE = 2

/** Puts an object into the table, in the place of one of its name. Throws `board` that says why it cannot be. */
export async function insertObject(
  bus: RegisterBus,
  map: readonly Register[],
  object: PlacedObject,
): Promise<void> {
  const { name, base, size, readers, writers } = object
  await writeName(bus, map, name)
  await bus.write(registerOf(map, 'rmem', 'BASE_0').address, base)
  await bus.write(registerOf(map, 'rmem', 'BASE_1').address, 0)
  await bus.write(registerOf(map, 'rmem', 'SIZE').address, size)
  await bus.write(registerOf(map, 'rmem', 'ACCESS').address, readers | (writers << 8))
  await command(bus, map, INSERT, name)
}

/** Takes an object out of the table: when this resolves, nothing uses its memory. Throws `board` when there is none. */
export async function removeObject(bus: RegisterBus, map: readonly Register[], name: bigint): Promise<void> {
  await writeName(bus, map, name)
  await command(bus, map, REMOVE, name)
}

async function writeName(bus: RegisterBus, map: readonly Register[], name: bigint): Promise<void> {
  await bus.write(registerOf(map, 'rmem', 'NAME_0').address, Number(name & 0xffff_ffffn))
  await bus.write(registerOf(map, 'rmem', 'NAME_1').address, Number(name >> 32n))
}

async function command(
  bus: RegisterBus,
  map: readonly Register[],
  code: number,
  name: bigint,
): Promise<void> {
  await bus.write(registerOf(map, 'rmem', 'COMMAND').address, code)
  const { address } = registerOf(map, 'rmem', 'RESULT')
  let result = await bus.read(address)
  for (; result & 1; result = await bus.read(address)) await sleep(1)
  const problem = OUTCOMES[(result >> 1) & 3]
  if (problem) throw new FabricError('board', `The object ${name} was refused by the table: ${problem}.`)
}
