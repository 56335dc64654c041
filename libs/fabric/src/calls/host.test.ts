/** A host whose registers are slow, or fail, as those of a busy board do. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { FabricCaller, FabricWorker, type Register, type RegisterBus } from '../index.ts'
import { FabricHost } from './host.ts'

const NAMES = {
  shell: [
    ...['MAC_0', 'MAC_1', 'ADDRESS', 'HOST', 'CLASS_0_ADDRESS', 'CLASS_0_MASK'],
    ...['PEER_ADDRESS', 'PEER_MAC', 'PEER_PORT', 'PEER'],
  ],
  rmem: ['NAME_0', 'NAME_1', 'BASE_0', 'BASE_1', 'SIZE', 'ACCESS', 'COMMAND', 'RESULT'],
  dispatch: ['SETTINGS', 'APPLY', 'ROW_0', 'ROW_1', 'ROW_2', 'ROW_3', 'PLACE', 'COMMIT', 'STATUS'],
}
const SETTINGS = ['enabled', 'timeout', 'retries'].map((name, n) => ({
  ...{ name, start: 8 * n, end: 8 * n + 15, access: 'RW', doc: '' },
}))
const MAP: Register[] = Object.entries(NAMES)
  .flatMap(([engine, names]) => names.map((name) => ({ engine, name })))
  .map((each, n) => ({ ...each, address: 4 * n, doc: '', fields: each.name === 'SETTINGS' ? SETTINGS : [] }))
const COMMIT = MAP.find(({ name }) => name === 'COMMIT')?.address
const TAKES_MS = 60

let commits = 0
let fails = false
let host: FabricHost
afterEach(() => host.close())

const registers = (): RegisterBus => ({
  read: async () => 0,
  write: async (address) => {
    await sleep(TAKES_MS)
    if (fails) throw new Error('no answer of the serial line')
    if (address === COMMIT) commits += 1
  },
  close: () => {},
})

async function startHost(): Promise<{ port: number }> {
  commits = 0
  fails = false
  const parameters = {
    ...{ 'shell.memoryKiB': 64, 'dispatch.functions': 256, 'dispatch.workers': 4 },
    'dispatch.workersPerFunction': 2,
  }
  const ports = { requests: 1, completions: 1, rmem: 1 }
  host = await FabricHost.open({ registers, map: MAP, parameters, ports, port: 0 })
  return { port: host.port }
}

describe('a client of a board with slow registers', () => {
  test('is open only when the tables have it, though it says hello again meanwhile', async () => {
    const address = await startHost()
    const names = Array.from({ length: 16 }, (_, n) => `function-${n}`)
    const from = performance.now()
    const opening = FabricWorker.open(Object.fromEntries(names.map((name) => [name, (x) => x])), address)
    // its turn is after that of the worker
    const caller = await FabricCaller.open(address)
    expect(commits).toBe(16)
    // longer than a client waits for a host that says nothing
    expect(performance.now() - from).toBeGreaterThan(5_000)
    ;(await opening).close()
    caller.close()
  })

  test('is told to wait', async () => {
    const { port } = await startHost()
    const socket = createSocket('udp4')
    const hello = JSON.stringify({ kind: 'worker', functions: ['one'] })
    for (let n = 0; n < 2; n++) socket.send(hello, port, '127.0.0.1')
    const [first] = (await once(socket, 'message')) as [Buffer]
    expect(JSON.parse(first.toString())).toEqual({ waiting: true })
    const [second] = (await once(socket, 'message')) as [Buffer]
    expect(JSON.parse(second.toString())).toMatchObject({ number: 0 })
    socket.close()
  })

  test('is refused with the reason when they fail, and let in when they work again', async () => {
    const address = await startHost()
    fails = true
    await expect(FabricCaller.open(address)).rejects.toThrow(
      'The board does not answer: no answer of the serial line',
    )
    fails = false
    const caller = await FabricCaller.open(address)
    caller.close()
  })
})
