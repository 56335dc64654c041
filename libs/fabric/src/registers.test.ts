import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Register, readFields, registersAt, writeSettings } from './index.ts'

const field = (name: string, start: number, end: number, access = 'RW') => ({
  name,
  start,
  end,
  access,
  doc: '',
})
const MAP: Register[] = [
  { engine: 'distil', name: 'APPLY', address: 0x20, doc: '', fields: [field('apply', 0, 0, 'W1P')] },
  {
    engine: 'distil',
    name: 'UNIT',
    address: 0x24,
    doc: '',
    fields: [field('enabled', 0, 0), field('op', 2, 4)],
  },
  { engine: 'distil', name: 'BOUND', address: 0x28, doc: '', fields: [field('bound', 0, 31)] },
  { engine: 'distil', name: 'FRAMES', address: 0x4c, doc: '', fields: [field('frames', 0, 31, 'RO')] },
  { engine: 'dispatch', name: 'DISPATCH', address: 0x50, doc: '', fields: [field('enabled', 0, 0)] },
]

let folder: string
let server: Server
let words: Map<number, number>
let requests: string[]
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'hm-regs-'))
  words = new Map([
    [0x24, 2],
    [0x28, 0],
    [0x4c, 0xffffffff],
    [0x50, 1],
  ])
  requests = []
  server = createServer((socket) =>
    socket.on('data', (bytes) => {
      const address = bytes.readUInt16BE(1)
      requests.push(`${String.fromCharCode(bytes[0] as number)}${address.toString(16)}`)
      if (bytes[0] === 0x57) {
        words.set(address, bytes.readUInt32BE(3))
        socket.write('w')
      } else if (words.has(address)) {
        const reply = Buffer.alloc(5, 'r')
        reply.writeUInt32BE(words.get(address) as number, 1)
        // in two pieces, as a line may give it
        socket.write(reply.subarray(0, 2))
        setTimeout(() => socket.write(reply.subarray(2)), 5)
      } else socket.write('e')
    }),
  )
  await new Promise<void>((resolve) => server.listen(path.join(folder, 'serial.sock'), resolve))
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('registers over a serial line', () => {
  test('settings change their fields alone, and take effect together at the end', async () => {
    const bus = registersAt(folder)
    expect(await writeSettings(bus, MAP, { op: 5, 'distil.enabled': 1, bound: 0xfffffffe })).toEqual({
      'distil.enabled': 1,
      'distil.op': 5,
      'distil.bound': 0xfffffffe,
    })
    bus.close()
    expect(words.get(0x24)).toBe(0b10111)
    expect(words.get(0x28)).toBe(0xfffffffe)
    expect(requests.filter((request) => request.startsWith('W'))).toEqual(['W24', 'W28', 'W20'])
  })

  test.each([
    [{ speed: 1 }, "There is no register field 'speed'."],
    [
      { enabled: 1 },
      "Several engines have a register field 'enabled': name one of distil.enabled, dispatch.enabled.",
    ],
    [{ op: 8 }, 'op must be a whole number from 0 to 7, not 8.'],
    [{ op: 1, bound: 2 ** 32 }, 'bound must be a whole number from 0 to 4294967295, not 4294967296.'],
    [{ op: 1, frames: 0 }, 'frames can only be read.'],
  ])('%o is refused, and nothing is written', async (settings, message) => {
    const bus = registersAt(folder)
    await expect(writeSettings(bus, MAP, settings)).rejects.toMatchObject({ code: 'bad-parameters', message })
    bus.close()
    expect(requests.filter((request) => request.startsWith('W'))).toEqual([])
  })

  test('all fields are read, of all 32 bits', async () => {
    const bus = registersAt(folder)
    words.set(0x20, 0)
    expect(await readFields(bus, MAP)).toEqual({
      'distil.apply': 0,
      'distil.enabled': 0,
      'distil.op': 0,
      'distil.bound': 0,
      'distil.frames': 0xffffffff,
      'dispatch.enabled': 1,
    })
    bus.close()
  })

  test('a register that is not there is refused by the board; a board that is not there is named', async () => {
    const bus = registersAt(folder)
    await expect(bus.read(0x99)).rejects.toThrow('Reading register 0x99 was refused by the board')
    bus.close()
    const none = registersAt(path.join(folder, 'none'))
    await expect(none.read(0)).rejects.toMatchObject({
      code: 'board',
      message: expect.stringContaining('no board runs there'),
    })
    none.close()
  })
})
