/** Histories under faults: connections cut and delayed, clocks that jump, processes and primaries that are killed. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openEmbeddedStore, openRedisStore, type Store, systemClock } from '../src/index.ts'
import { isLinearizable } from './linearizability.ts'
import { Recorder, work } from './recorder.ts'
import { type RedisServers, startCluster, startRedis } from './redis-servers.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { readLog } from './write-log.ts'

const CLIENTS = 4
const soak = process.env.HIVEMIND_SOAK === '1'
const OPERATIONS = soak ? 200_000 : 2_000
const KILLS = soak ? 200 : 5
const TIMEOUT_MS = soak ? 3_600_000 : 180_000

const allLinearizable = (recorder: Recorder, options = {}): boolean =>
  recorder.histories(options).every((history) => isLinearizable(history))

/** Repeats rounds until `seen`, since a fault may hit no write; gives up after some, and leaves the verdict to the test. */
async function until(round: () => Promise<void>, seen: () => boolean): Promise<void> {
  const rounds = soak ? 20 : 10
  for (let n = 0; n < rounds && (n === 0 || !seen()); n++) await round()
}

let folder: string
const stores: Store[] = []
const keep = <S extends Store>(store: S): S => {
  stores.push(store)
  return store
}
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-faults-'))
})
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()))
  await rm(folder, { recursive: true, force: true })
})

describe('histories of one Redis', () => {
  it('are linearizable while connections are cut and delayed', { timeout: TIMEOUT_MS }, async () => {
    const servers = await startRedis()
    const proxy = await TcpProxy.open(servers.ports[0] as number)
    try {
      const url = `redis://127.0.0.1:${proxy.port}`
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, async () => keep(await openRedisStore({ url }))),
      )
      await clients[0]?.createPool('/faults', { persistence: 'persistent' })
      const recorder = new Recorder()
      let running = true
      const faults = (async () => {
        for (let n = 0; running; n++) {
          await sleep(40 + 13 * (n % 7))
          proxy.delayMs = [0, 1, 5, 30][n % 4] as number
          if (n % 3 === 0) proxy.cut()
        }
      })()
      await until(
        () => work(recorder, clients, ['/faults'], OPERATIONS),
        () => recorder.undecided > 0 && proxy.cuts > CLIENTS,
      )
      running = false
      await faults
      expect(proxy.cuts).toBeGreaterThan(CLIENTS)
      expect(recorder.undecided).toBeGreaterThan(0)
      expect(allLinearizable(recorder)).toBe(true)
    } finally {
      await Promise.all(stores.splice(0).map((store) => store.close()))
      await proxy.close()
      await servers.stop()
    }
  })
})

describe('histories of the embedded engine', () => {
  it('are linearizable while the clock of the machine jumps', { timeout: TIMEOUT_MS }, async () => {
    const real = systemClock()
    let skewUs = 0
    const clock = { now: () => real.now() + skewUs }
    const store = keep(await openEmbeddedStore({ folder, clock }))
    await store.createPool('/faults', { persistence: 'persistent' })
    const recorder = new Recorder()
    const jumps = setInterval(() => {
      skewUs = (Math.random() - 0.5) * 7_200_000_000
    }, 5)
    await work(
      recorder,
      Array.from({ length: CLIENTS }, () => store),
      ['/faults'],
      OPERATIONS,
    )
    clearInterval(jumps)
    expect(allLinearizable(recorder)).toBe(true)
    const times = (await store.changes('/faults')).map(({ timestamp }) => timestamp)
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
  })

  it(`are linearizable over ${KILLS} kills of its process`, { timeout: TIMEOUT_MS }, async () => {
    const log = path.join(folder, 'log')
    const program = new URL('./code/history-writer.ts', import.meta.url)
    for (let kill = 0; kill < KILLS; kill++) {
      const child = fork(program, [path.join(folder, 'store'), log, String(kill)])
      const exited = once(child, 'exit')
      await once(child, 'message')
      await sleep(100 + Math.random() * 200)
      child.kill('SIGKILL')
      await exited
    }
    const { histories, operations, undecided } = readLog(await readFile(log, 'utf8'))
    expect(operations).toBeGreaterThan(KILLS * 100)
    expect(undecided).toBeGreaterThan(0)
    expect(histories.every((history) => isLinearizable(history))).toBe(true)
  })
})

describe('histories of a Redis cluster whose primary is killed', () => {
  /** Enough pools to have some on each primary. */
  const POOLS = Array.from({ length: 6 }, (_, n) => `/pool-${n}`)

  async function open(servers: RedisServers, replicas: number): Promise<Store[]> {
    const clients = await Promise.all(
      Array.from({ length: CLIENTS }, async () => keep(await openRedisStore({ url: servers.url, replicas }))),
    )
    for (const pool of POOLS) await clients[0]?.createPool(pool, { persistence: 'persistent' })
    return clients
  }

  it('are linearizable, but for reads of writes that no replica had', { timeout: TIMEOUT_MS }, async () => {
    const servers = await startCluster()
    try {
      const clients = await open(servers, 1)
      const recorder = new Recorder()
      const operations = Math.max(OPERATIONS / 10, 1_000)
      let round = 0
      await until(
        async () => {
          const victim = await servers.primaryOf(keyOf(POOLS[round++ % POOLS.length] as string))
          const before = recorder.operations
          const working = work(recorder, clients, POOLS, operations, { conditional: false })
          // A client that fails ends the wait; its error comes with the rest of the work.
          let isOver = false
          working.catch(() => {}).finally(() => (isOver = true))
          while (!isOver && recorder.operations < before + operations / 2) await sleep(1)
          servers.kill(victim)
          await servers.rejoin(victim)
          await working
        },
        () => recorder.operations >= OPERATIONS && recorder.undecided > 0,
      )
      expect(recorder.undecided).toBeGreaterThan(0)
      expect(allLinearizable(recorder, { acknowledged: true })).toBe(true)
    } finally {
      await Promise.all(stores.splice(0).map((store) => store.close()))
      await servers.stop()
    }
  })

  it('show that without WAIT acknowledged writes are lost', { timeout: TIMEOUT_MS }, async () => {
    const servers = await startCluster()
    try {
      const clients = await open(servers, 0)
      const [pool] = POOLS as [string]
      const victim = await servers.primaryOf(keyOf(pool))
      const recorder = new Recorder()
      const resume = await servers.detachReplica(victim)
      await work(recorder, clients, [pool], 50, { conditional: false })
      servers.kill(victim)
      resume()
      await servers.rejoin(victim)
      // Without the recorder, so that a read that goes on failing says why.
      await expect.poll(() => clients[0]?.get(`${pool}/0`), { timeout: 60_000 }).toBeNull()
      await recorder.get(clients[0] as Store, `${pool}/0`)
      expect(allLinearizable(recorder, { acknowledged: true })).toBe(false)
    } finally {
      await Promise.all(stores.splice(0).map((store) => store.close()))
      await servers.stop()
    }
  })
})

/** The Redis key of a pool. */
const keyOf = (pool: string): string => `hivemind:2:{${encodeURIComponent(`hivemind:${pool}`)}}:pool`
