/** Lines and registers of the engine rpc; the self-test of a load drives the engine itself (`board.hdl.test.ts`). */
import { expect, test } from 'vitest'
import type { Register, RegisterBus } from './registers.ts'
import { connectPeer, encodeLine, placeRing, ringDoorbell, ringIndex } from './rpc.ts'

const NAMES = ['COMMAND', 'RESULT', 'FLOW', 'RING_BASE', 'RING_SIZE', 'PEER_ADDRESS', 'PEER_MAC', 'PEER_PORT']
const map = [...NAMES, 'CONNECTION', 'RX_INDEX', 'TX_DOORBELL'].map(
  (name, n) => ({ engine: 'rpc', name, address: 4 * n, fields: [], doc: '' }) as Register,
)
const addressOf = (name: string) => map.find((each) => each.name === name)?.address ?? -1

/** Registers that keep what is written; RESULT says what it is told to, one value after another. */
function busOf(results: number[], values: Record<string, number> = {}) {
  const written: [string, number][] = []
  const nameAt = (address: number) => map.find((each) => each.address === address)?.name ?? ''
  const bus: RegisterBus = {
    read: async (address) =>
      (address === addressOf('RESULT') ? results.shift() : values[nameAt(address)]) ?? 0,
    write: async (address, value) => void written.push([nameAt(address), value]),
    close: () => {},
  }
  return { bus, written }
}

test('a line has its fields where docs/fabric.md says', () => {
  const line = encodeLine({
    kind: 'response',
    connection: 0x102,
    id: 0x0a0b0c0d,
    payload: Buffer.from('abc'),
  })
  expect(line.toString('hex')).toBe(`010201020a0b0c0d${'00'.repeat(6)}0300616263${'00'.repeat(45)}`)
  expect(() => encodeLine({ kind: 'request', connection: 0, id: 0, payload: Buffer.alloc(49) })).toThrow(
    'A payload has up to 48 bytes, not 49.',
  )
})

test('a ring is in its place when the engine is not busy any more; what it refuses is said', async () => {
  const { bus, written } = busOf([1, 1, 0])
  await placeRing(bus, map, { flow: 3, way: 'TX' }, { base: 4096, lines: 64 })
  expect(written).toEqual([
    ['FLOW', 3],
    ['RING_BASE', 64],
    ['RING_SIZE', 6],
    ['COMMAND', 2],
  ])
  await expect(placeRing(busOf([2]).bus, map, { flow: 9, way: 'RX' }, { base: 0, lines: 2 })).rejects.toThrow(
    'The engine rpc refuses ring RX of flow 9',
  )
})

test('a connection has its peer in the registers of the shell’s form, or none', async () => {
  const { bus, written } = busOf([0])
  await connectPeer(
    bus,
    map,
    { number: 5, flow: 2 },
    { mac: '02484d000002', address: 0xc0000202, port: 49_152 },
  )
  expect(written).toEqual([
    ['PEER_ADDRESS', 0xc0000202],
    ['PEER_MAC', 0x4d000002],
    ['PEER_PORT', 0x0248c000],
    ['CONNECTION', 0x01020005],
    ['COMMAND', 4],
  ])
  const gone = busOf([0])
  await connectPeer(gone.bus, map, { number: 5, flow: 2 }, undefined)
  expect(gone.written).toContainEqual(['CONNECTION', 0x20005])
})

test('an index is the lower half of its register, a doorbell names its flow', async () => {
  const { bus, written } = busOf([], { RX_INDEX: 0x0007_0009 })
  expect(await ringIndex(bus, map, { flow: 1, way: 'RX' })).toBe(9)
  await ringDoorbell(bus, map, { flow: 1, way: 'TX' }, 10)
  expect(written).toEqual([
    ['FLOW', 1],
    ['TX_DOORBELL', 0x0101000a],
  ])
})
