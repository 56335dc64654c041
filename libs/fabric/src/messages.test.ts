import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { datagramFrame, datagramOf } from './datagrams.ts'
import { crc16, decodeMessage, encodeMessage, MessageKind } from './dispatch.ts'
import { decodeResponse, encodeRequest, RmemStatus } from './rmem.ts'

const HEADERS = readFileSync(
  path.join(import.meta.dirname, '../../../hdl-spinal/src/main/scala/hivemind/fabric/net/Headers.scala'),
  'utf8',
)

/** The fields of a header as the hardware declares them, with their values in some bytes. */
function fieldsOf(header: string, bytes: Buffer): Record<string, bigint> {
  const table = HEADERS.match(new RegExp(`val ${header} = Header\\.of\\([^)]*\\)\\(([^)]*)\\)`))?.[1]
  if (!table) throw new Error(`Headers.scala has no header ${header}.`)
  const all = BigInt(`0x${bytes.toString('hex')}`)
  const fields: Record<string, bigint> = {}
  let left = bytes.length * 8
  for (const [, name, width] of table.matchAll(/"(\w+)" -> (\d+)/g)) {
    left -= Number(width)
    fields[name as string] = (all >> BigInt(left)) & ((1n << BigInt(width as string)) - 1n)
  }
  expect(left).toBe(0)
  return fields
}

test('messages of the dispatcher have the fields of the hardware', () => {
  const message = {
    kind: MessageKind.DONE,
    task: 0x11,
    attempt: 2,
    reason: 3,
    function: 0x44444444,
    request: 0x55555555,
    tag: 0x66666666,
    key: 0x77777777,
    payload: 0x88888888,
    invocation: 0x99999999,
    payloadBytes: 0xaaaa,
    worker: 0xbbbb,
  }
  const bytes = encodeMessage(message)
  const expected = Object.entries(message).map(([name, value]) => [name, BigInt(value)])
  expect(fieldsOf('speedo', bytes)).toEqual({
    magic: 0x5dn,
    version: 1n,
    ...Object.fromEntries(expected),
  })
  expect(decodeMessage(bytes)).toEqual(message)
})

test('what is no message of the dispatcher is refused', () => {
  const bytes = encodeMessage({ kind: MessageKind.CALL })
  expect(() => decodeMessage(bytes.subarray(1))).toThrow('no message of the dispatcher')
  bytes[0] = 0
  expect(() => decodeMessage(bytes)).toThrow('no message of the dispatcher')
})

/** CRC-16/XMODEM of the ASCII text 1234, by Python's `binascii.crc_hqx`. */
const XMODEM = 0xd789

test('a function has its place by CRC-16 with polynomial 0x1021, from 0', () => {
  expect([crc16(0), crc16(1), crc16(0x31323334)]).toEqual([0, 0x1021, XMODEM])
})

test('requests to remote memory have the fields of the hardware', () => {
  const data = Buffer.from('what is written')
  const write = encodeRequest({ name: 0x1122334455667788n, offset: 9n, requester: 3, tag: 4, data })
  expect(fieldsOf('rmemRequest', write.subarray(0, 32))).toEqual({
    version: 1n,
    operation: 2n,
    requester: 3n,
    tag: 4n,
    name: 0x1122334455667788n,
    offset: 9n,
    length: BigInt(data.length),
    requesterClass: 0n,
    reserved: 0n,
  })
  expect(write.subarray(32)).toEqual(data)
  const read = fieldsOf('rmemRequest', encodeRequest({ name: 1n, offset: 2n, length: 100 }))
  expect([read.operation, read.length]).toEqual([1n, 100n])
})

test('a response of remote memory is read by the fields of the hardware; what is none is refused', () => {
  const header = Buffer.from('0101000300000004050000000000000a', 'hex')
  const fields = fieldsOf('rmemResponse', header)
  expect([fields.requester, fields.tag, fields.status, fields.length]).toEqual([3n, 4n, 5n, 10n])
  const data = Buffer.alloc(10, 7)
  const response = { requester: 3, tag: 4, status: RmemStatus.OUT_OF_BOUNDS, data }
  expect(decodeResponse(Buffer.concat([header, data]))).toEqual(response)
  for (const wrong of [header.subarray(1), Buffer.concat([header, Buffer.alloc(11)])])
    expect(() => decodeResponse(wrong)).toThrow('no response of remote memory')
})

const FROM = { mac: '02484d000001', address: 0xc0000201, port: 4900 }
const TO = { mac: '02484d000002', address: 0xc0000202, port: 49_152 }

/** The sum of 16-bit words in ones' complement, which is all ones where a checksum is right. */
function onesSum(bytes: Buffer): number {
  const padded = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)])
  let sum = 0
  for (let n = 0; n < padded.length; n += 2) sum += padded.readUInt16BE(n)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16)
  return sum
}

test.each([0, 1, 18, 101, 1400])('a datagram of %i bytes has right checksums, and is read back', (length) => {
  const payload = Buffer.from(Array.from({ length }, (_, n) => (n * 37) & 0xff))
  const frame = datagramFrame(FROM, TO, payload)
  expect(frame.length).toBe(Math.max(60, 42 + length))
  expect(onesSum(frame.subarray(14, 34))).toBe(0xffff)
  const pseudo = Buffer.from([0, 17, (8 + length) >> 8, (8 + length) & 0xff])
  expect(onesSum(Buffer.concat([frame.subarray(26, 34), pseudo, frame.subarray(34, 42 + length)]))).toBe(
    0xffff,
  )
  expect(datagramOf(frame)).toEqual({ from: FROM, to: TO, payload })
})

test('a damaged datagram, and what is none, is not read', () => {
  const frame = datagramFrame(FROM, TO, Buffer.from('hello'))
  expect(datagramOf(frame.subarray(0, 40))).toBeUndefined()
  for (const at of [12, 14, 20, 23, 26, 36, 39, 44]) {
    const damaged = Buffer.from(frame)
    damaged[at] = (damaged[at] as number) ^ 1
    expect(datagramOf(damaged), `byte ${at}`).toBeUndefined()
  }
})
