/** Pairs of the store bench: an operation of the store, and the bare thing it is held against, measured in turn in this process. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type EmbeddedStore, openEmbeddedStore, openRedisStore } from '@hivemind/store'
import { Cluster, Redis } from 'ioredis'
import { open as openLmdb } from 'lmdb'
import { startCluster, startRedis } from '../../libs/store/test/redis-servers.ts'
import { echoClient } from './grpc.ts'
import { npmPackage, own } from './peers.ts'
import { ANSWERS, STREAM } from './store-peers.ts'

/** An operation and its peer. */
export interface Pair {
  name: string
  peer: string
  /** Largest ratio of our time to the peer's that meets the goal. */
  goal: number
  /** Operations in one round. */
  count: number
  /** Runs so many operations. */
  ours(count: number): Promise<unknown>
  theirs(count: number): Promise<unknown>
}

const VALUE = { type: 'application/octet-stream', bytes: new Uint8Array(64).fill(7) }
/** Operations that are under way at the same time, where there are many. */
const WINDOW = 1_000
const MODULE = pathToFileURL(own('src/store-peers.ts')).href

/** One operation after another. */
const inTurn = (operation: () => unknown) => async (count: number) => {
  for (let n = 0; n < count; n++) await operation()
}

/** Many operations at the same time. */
const together = (operation: () => Promise<unknown>) => async (count: number) => {
  for (let n = 0; n < count; n += WINDOW)
    await Promise.all(Array.from({ length: Math.min(WINDOW, count - n) }, operation))
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-bench-'))
const cleanup: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]

/** Ends what the pairs have started. */
export async function end(): Promise<void> {
  for (const action of cleanup.reverse()) await action()
}

/** Pairs of the embedded engine. */
export async function embeddedPairs(): Promise<Pair[]> {
  const store = await openEmbeddedStore({ folder: path.join(folder, 'embedded') })
  cleanup.push(() => store.close())
  return [...(await lambdaPairs(store)), ...(await diskPairs(store))]
}

async function lambdaPairs(store: EmbeddedStore): Promise<Pair[]> {
  for (const pool of ['/here', '/worker', '/process']) await store.createPool(pool)
  const seen = { bytes: 0 }
  await store.bind('/here', ({ bytes }) => {
    seen.bytes += bytes?.length ?? 0
  })
  const bareUpcall = () => {
    const copy = new Uint8Array(VALUE.bytes)
    return new Promise<void>((resolve) =>
      queueMicrotask(() => {
        seen.bytes += copy.length
        resolve()
      }),
    )
  }
  const isolated = async (isolation: 'worker' | 'process') => {
    const binding = await store.bind(`/${isolation}`, { module: MODULE, export: 'nothing', isolation })
    await store.triggerPut(`/${isolation}/a`, VALUE)
    await binding.drained()
    cleanup.push(() => binding.close())
    return async () => {
      await store.triggerPut(`/${isolation}/a`, VALUE)
      await binding.drained()
    }
  }
  const inProcess = await isolated('process')
  return [
    {
      name: 'trigger put -> lambda in this process',
      peer: 'copy + microtask',
      goal: 2,
      count: 200_000,
      ours: inTurn(() => store.triggerPut('/here/a', VALUE)),
      theirs: inTurn(bareUpcall),
    },
    {
      name: 'trigger put -> lambda in a worker and back',
      peer: 'SharedArrayBuffer, Atomics.wait',
      goal: 1.5,
      count: 5_000,
      ours: inTurn(await isolated('worker')),
      theirs: inTurn(atomicsEcho()),
    },
    {
      name: 'trigger put -> lambda in a process and back',
      peer: 'Unix socket, echo',
      goal: 1.5,
      count: 5_000,
      ours: inTurn(inProcess),
      theirs: inTurn(await socketEcho()),
    },
    {
      name: 'trigger put -> lambda in a process and back',
      peer: 'grpc-js 1.14.0, unary, Unix socket',
      goal: 1 / 6,
      count: 2_000,
      ours: inTurn(inProcess),
      theirs: inTurn(await grpcEcho()),
    },
    {
      name: 'trigger put -> lambda in a process and back',
      peer: 'Redis: script with XADD, XREAD in a process, answer',
      goal: 1 / 3.5,
      count: 2_000,
      ours: inTurn(inProcess),
      theirs: inTurn(await redisEcho()),
    },
  ]
}

/** Starts a process that echoes. */
async function startPeer(...args: string[]): Promise<void> {
  const child = fork(new URL('./store-peers.ts', import.meta.url), args)
  cleanup.push(() => child.kill())
  await once(child, 'message')
}

function atomicsEcho(): () => void {
  const shared = new SharedArrayBuffer(8 + VALUE.bytes.length)
  const worker = new Worker(new URL('./store-peers.ts', import.meta.url), { workerData: shared })
  worker.unref()
  cleanup.push(() => worker.terminate())
  const flags = new Int32Array(shared, 0, 2)
  const bytes = new Uint8Array(shared, 8)
  return () => {
    bytes.set(VALUE.bytes)
    Atomics.store(flags, 0, 1)
    Atomics.notify(flags, 0)
    Atomics.wait(flags, 1, 0)
    Atomics.store(flags, 1, 0)
  }
}

async function socketEcho(): Promise<() => Promise<unknown>> {
  const file = path.join(folder, 'echo.sock')
  await startPeer('socket-echo', file)
  const socket = net.connect(file)
  cleanup.push(() => socket.destroy())
  await once(socket, 'connect')
  let answered = () => {}
  socket.on('data', () => answered())
  return () =>
    new Promise<void>((resolve) => {
      answered = resolve
      socket.write(VALUE.bytes)
    })
}

async function grpcEcho(): Promise<() => Promise<unknown>> {
  const file = path.join(folder, 'grpc.sock')
  const installed = npmPackage('@grpc/grpc-js', '1.14.0')
  await startPeer('grpc-echo', file, installed)
  const client = echoClient(installed, file)
  cleanup.push(() => client.close())
  const bytes = Buffer.from(VALUE.bytes)
  return () =>
    new Promise((resolve, reject) =>
      client.call(bytes, (error, answer) => (error ? reject(error) : resolve(answer))),
    )
}

/** A put with a version and an event, as a script; another process reads the event and answers. */
async function redisEcho(): Promise<() => Promise<unknown>> {
  const { url, stop } = await startRedis()
  cleanup.push(stop)
  await startPeer('redis-echo', url)
  const redis = new Redis(url)
  cleanup.push(() => redis.quit())
  redis.defineCommand('announcedPut', {
    numberOfKeys: 2,
    lua: `local v = redis.call('INCR', KEYS[1] .. ':v')
      redis.call('HSET', KEYS[1], 'b', ARGV[1], 'v', v, 't', redis.call('TIME')[1])
      return redis.call('XADD', KEYS[2], 'MAXLEN', '~', '1000', '*', 'k', KEYS[1], 'v', v)`,
  })
  const scripted = redis as Redis & {
    announcedPut(key: string, stream: string, value: Buffer): Promise<string>
  }
  const bytes = Buffer.from(VALUE.bytes)
  return async () => {
    await scripted.announcedPut('peer', STREAM, bytes)
    await redis.blpop(ANSWERS, 0)
  }
}

async function diskPairs(store: EmbeddedStore): Promise<Pair[]> {
  await store.createPool('/disk', { persistence: 'persistent', retention: { versions: 1 } })
  const { ClassicLevel } = (await import(
    pathToFileURL(path.join(npmPackage('classic-level', '3.0.0'), 'index.js')).href
  )) as {
    ClassicLevel: new (folder: string) => { put(key: string, value: string, options: object): Promise<void> }
  }
  const level = new ClassicLevel(path.join(folder, 'level'))
  // By default its promises resolve before the disk has what was written.
  const lmdb = openLmdb({ path: path.join(folder, 'lmdb'), encoding: 'binary', overlappingSync: false })
  cleanup.push(() => lmdb.close())
  const text = 'x'.repeat(VALUE.bytes.length)
  let next = 0
  const key = () => `/disk/${next++ % 10_000}`
  return [
    {
      name: 'durable put, one writer',
      peer: 'classic-level 3.0.0, sync',
      goal: 1.3,
      count: 300,
      ours: inTurn(() => store.put(key(), VALUE)),
      theirs: inTurn(() => level.put(key(), text, { sync: true })),
    },
    {
      name: `durable put, ${WINDOW} at a time`,
      peer: 'lmdb 3.5.6, batched by itself',
      goal: 2,
      count: 20_000,
      ours: together(() => store.put(key(), VALUE)),
      theirs: together(() => lmdb.put(key(), Buffer.from(VALUE.bytes))),
    },
  ]
}

/** Pairs of the Redis engine, with servers that this process starts. */
export const redisPairs = async (): Promise<Pair[]> => [...(await serverPairs()), ...(await clusterPairs())]

async function serverPairs(): Promise<Pair[]> {
  const { url, stop } = await startRedis()
  cleanup.push(stop)
  const peer = new Redis(url)
  const store = await openRedisStore({ url })
  cleanup.push(() => Promise.all([peer.quit(), store.close()]))
  for (const pool of ['/fast', '/deep']) await store.createPool(pool, { retention: { versions: 10_000 } })
  await together(() => store.put('/deep/a', VALUE))(10_000)
  const { version, timestamp } = (await store.put('/deep/a', VALUE)) ?? {}
  const bytes = Buffer.from(VALUE.bytes)
  await peer.set('plain', bytes)
  peer.defineCommand('versionedPut', {
    numberOfKeys: 1,
    lua: `local v = redis.call('INCR', KEYS[1] .. ':v')
      redis.call('HSET', KEYS[1] .. ':' .. v, 'b', ARGV[1], 't', redis.call('TIME')[1])
      redis.call('ZADD', KEYS[1], v, v)
      redis.call('DEL', KEYS[1] .. ':' .. (v - 10000))
      redis.call('ZREM', KEYS[1], v - 10000)
      return v`,
  })
  const scripted = peer as Redis & { versionedPut(key: string, value: Buffer): Promise<number> }
  const plainGet = inTurn(() => peer.getBuffer('plain'))
  const get = (name: string, operation: () => Promise<unknown>): Pair => ({
    name,
    peer: 'ioredis GET',
    goal: 1,
    count: 5_000,
    ours: inTurn(operation),
    theirs: plainGet,
  })
  return [
    {
      name: `Redis: versioned put, ${WINDOW} at a time`,
      peer: 'ioredis, a versioned put as a script',
      goal: 1 / 1.5,
      count: 20_000,
      ours: together(() => store.put('/fast/a', VALUE)),
      theirs: together(() => scripted.versionedPut('peer', bytes)),
    },
    get('Redis: get the latest of 10,000', () => store.get('/deep/a')),
    get('Redis: get a version of 10,000', () => store.get('/deep/a', { version: (version ?? 0) - 5_000 })),
    get('Redis: get at a time of 10,000', () => store.get('/deep/a', { time: (timestamp ?? 0) - 1_000 })),
  ]
}

/** What a replica has when it is acknowledged, on a cluster of three primaries with a replica each. */
async function clusterPairs(): Promise<Pair[]> {
  const { url, stop } = await startCluster()
  cleanup.push(stop)
  const peer = new Cluster([url])
  const store = await openRedisStore({ url, replicas: 1 })
  cleanup.push(() => Promise.all([peer.quit(), store.close()]))
  await store.createPool('/safe')
  const bytes = Buffer.from(VALUE.bytes)
  const put = () => store.put('/safe/a', VALUE)
  const waitedSet = () => peer.pipeline().set('waited', bytes).wait(1, 1_000).exec()
  return [
    {
      name: 'Redis Cluster: put that one replica has',
      peer: 'ioredis SET, WAIT 1',
      goal: 1,
      count: 2_000,
      ours: inTurn(put),
      theirs: inTurn(waitedSet),
    },
    {
      name: `Redis Cluster: put that one replica has, ${WINDOW} at a time`,
      peer: 'ioredis SET, WAIT 1',
      goal: 1 / 1.5,
      count: 10_000,
      ours: together(put),
      theirs: together(waitedSet),
    },
  ]
}
