import { checksum } from './frames.ts'

/** Where a process is on the network of a board. */
export interface UdpPeer {
  /** Ethernet address, 12 hexadecimal digits. */
  mac: string
  /** IPv4 address as a number of 32 bits. */
  address: number
  port: number
}

/** The UDP ports of a fabric's engines. */
export const FABRIC_PORTS = { requests: 4900, completions: 4901, rmem: 4902, rpc: 4903 } as const

const HEADERS = 42
const SHORTEST_FRAME = 60
const PROTOCOL_UDP = 17

/** The Ethernet frame of a datagram, with all lengths and checksums. */
export function datagramFrame(from: UdpPeer, to: UdpPeer, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(Math.max(SHORTEST_FRAME, HEADERS + payload.length))
  const length = 8 + payload.length
  frame.write(`${to.mac}${from.mac}0800`, 0, 'hex')
  frame.write('4500', 14, 'hex')
  frame.writeUInt16BE(20 + length, 16)
  frame.write('40004011', 20, 'hex')
  frame.writeUInt32BE(from.address, 26)
  frame.writeUInt32BE(to.address, 30)
  frame.writeUInt16BE(checksum(frame.subarray(14, 34)), 24)
  frame.writeUInt16BE(from.port, 34)
  frame.writeUInt16BE(to.port, 36)
  frame.writeUInt16BE(length, 38)
  frame.set(payload, HEADERS)
  frame.writeUInt16BE(datagramChecksum(frame, length) || 0xffff, 40)
  return frame
}

/** The checksum over pseudo header, header and payload; 0 when the checksum that is in the frame is right. */
function datagramChecksum(frame: Buffer, length: number): number {
  const pseudoHeader = Buffer.alloc(4)
  pseudoHeader.writeUInt8(PROTOCOL_UDP, 1)
  pseudoHeader.writeUInt16BE(length, 2)
  return checksum(Buffer.concat([frame.subarray(26, 34), pseudoHeader, frame.subarray(34, 34 + length)]))
}

/** What a frame carries from whom to whom; `undefined` when it is no sound datagram. */
export function datagramOf(frame: Buffer): { from: UdpPeer; to: UdpPeer; payload: Buffer } | undefined {
  if (frame.length < HEADERS || frame.readUInt16BE(12) !== 0x0800 || frame[14] !== 0x45) return undefined
  if (frame[23] !== PROTOCOL_UDP || checksum(frame.subarray(14, 34)) !== 0) return undefined
  const length = frame.readUInt16BE(38)
  if (length < 8 || frame.length < 34 + length || datagramChecksum(frame, length) !== 0) return undefined
  const peer = (mac: number, address: number, port: number): UdpPeer => ({
    mac: frame.toString('hex', mac, mac + 6),
    address: frame.readUInt32BE(address),
    port: frame.readUInt16BE(port),
  })
  return { from: peer(6, 26, 34), to: peer(0, 30, 36), payload: frame.subarray(HEADERS, 34 + length) }
}
