/** The engine rpc for its host: lines of 64 bytes, and the registers that put rings and connections in their place (HiveMind paper, 4.5). */
import type { UdpPeer } from './datagrams.ts'
import { FabricError } from './error.ts'
import { type Register, type RegisterBus, registerOf } from './registers.ts'

/** Bytes of a line: one RPC, in a datagram of its own and as an entry of a ring. */
export const LINE_BYTES = 64
const PAYLOAD_AT = 16

/** An RPC. */
export interface RpcLine {
  kind: 'request' | 'response'
  /** Its row of the connection table. */
  connection: number
  /** Returned in the response as it came. */
  id: number
  /** Up to 48 bytes. */
  payload: Uint8Array
}

/** The line of an RPC. Throws `bad-parameters` for a payload that does not fit. */
export function encodeLine({ kind, connection, id, payload }: RpcLine): Buffer {
  if (payload.length > LINE_BYTES - PAYLOAD_AT)
    throw new FabricError(
      'bad-parameters',
      `A payload has up to ${LINE_BYTES - PAYLOAD_AT} bytes, not ${payload.length}.`,
    )
  const line = Buffer.alloc(LINE_BYTES)
  line.writeUInt8(1, 0)
  line.writeUInt8(kind === 'request' ? 1 : 2, 1)
  line.writeUInt16BE(connection, 2)
  line.writeUInt32BE(id, 4)
  line.writeUInt8(payload.length, 14)
  line.set(payload, PAYLOAD_AT)
  return line
}

/** One of a flow's two rings. */
export interface Ring {
  flow: number
  way: 'RX' | 'TX'
}

/** Where a ring lies in the memory of the fabric. */
export interface RingPlace {
  /** A multiple of its size. */
  base: number
  /** A power of two. */
  lines: number
}

const [SET_RX, SET_TX, CONNECT] = [1, 2, 4]
const IS_THERE = 2 ** 24

/** Puts a ring in its place: when this resolves it is there. Throws `board` when the engine refuses it. */
export async function placeRing(
  bus: RegisterBus,
  map: readonly Register[],
  { flow, way }: Ring,
  { base, lines }: RingPlace,
): Promise<void> {
  await write(bus, map, { FLOW: flow, RING_BASE: base / LINE_BYTES, RING_SIZE: Math.log2(lines) })
  await command(bus, map, way === 'RX' ? SET_RX : SET_TX, `ring ${way} of flow ${flow}`)
}

/** Writes a row of the connection table; without a peer there is no such connection any more. Throws `board`. */
export async function connectPeer(
  bus: RegisterBus,
  map: readonly Register[],
  { number, flow }: { number: number; flow: number },
  peer: UdpPeer | undefined,
): Promise<void> {
  const mac = BigInt(`0x${peer?.mac ?? '0'}`)
  await write(bus, map, {
    PEER_ADDRESS: peer?.address ?? 0,
    PEER_MAC: Number(mac & 0xffff_ffffn),
    PEER_PORT: ((peer?.port ?? 0) | Number((mac >> 32n) << 16n)) >>> 0,
    CONNECTION: number + flow * 2 ** 16 + (peer ? IS_THERE : 0),
  })
  await command(bus, map, CONNECT, `connection ${number}`)
}

/** The index up to which lines are in a ring, modulo 65,536. */
export async function ringIndex(bus: RegisterBus, map: readonly Register[], ring: Ring): Promise<number> {
  await write(bus, map, { FLOW: ring.flow })
  return (await bus.read(registerOf(map, 'rpc', `${ring.way}_INDEX`).address)) & 0xffff
}

/** Tells up to which index the host has consumed (RX) or produced (TX) lines. */
export function ringDoorbell(
  bus: RegisterBus,
  map: readonly Register[],
  { flow, way }: Ring,
  index: number,
): Promise<void> {
  return write(bus, map, { [`${way}_DOORBELL`]: index + flow * 2 ** 16 + IS_THERE })
}

async function write(
  bus: RegisterBus,
  map: readonly Register[],
  values: Record<string, number>,
): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await bus.write(registerOf(map, 'rpc', name).address, value)
}

async function command(
  bus: RegisterBus,
  map: readonly Register[],
  code: number,
  what: string,
): Promise<void> {
  await write(bus, map, { COMMAND: code })
  for (;;) {
    const result = await bus.read(registerOf(map, 'rpc', 'RESULT').address)
    if ((result & 1) === 1) continue
    if (result === 0) return
    throw new FabricError('board', `The engine rpc refuses ${what}: it has no such flow, size, place or row.`)
  }
}
