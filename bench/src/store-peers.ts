/**
 * The other side of the pairs of the store bench: a lambda, a worker that echoes, and processes that echo: at a Unix socket, with
 * gRPC, and for what is written to a stream of Redis.
 */
import net from 'node:net'
import { isMainThread, workerData } from 'node:worker_threads'
import { Redis } from 'ioredis'
import { serveEcho } from './grpc.ts'

/** A lambda that does nothing. */
export function nothing(): void {}

/** Where the writes of the peer on Redis are told, and answered. */
export const STREAM = 'peer:events'
export const ANSWERS = 'peer:answers'

const [kind = '', where = '', folder = ''] = process.argv.slice(2)
if (!isMainThread && workerData instanceof SharedArrayBuffer) {
  const flags = new Int32Array(workerData, 0, 2)
  const bytes = new Uint8Array(workerData, 8)
  for (;;) {
    Atomics.wait(flags, 0, 0)
    Atomics.store(flags, 0, 0)
    // As a reader would have it.
    bytes.slice()
    Atomics.store(flags, 1, 1)
    Atomics.notify(flags, 1)
  }
} else if (kind === 'socket-echo')
  net.createServer((socket) => socket.pipe(socket)).listen(where, () => process.send?.('ready'))
else if (kind === 'grpc-echo') {
  await serveEcho(folder, where)
  process.send?.('ready')
} else if (kind === 'redis-echo') {
  const redis = new Redis(where)
  let last = '0-0'
  process.send?.('ready')
  for (;;) {
    const [[, events] = ['', []]] = (await redis.xread('BLOCK', 0, 'STREAMS', STREAM, last)) ?? []
    last = events.at(-1)?.[0] ?? last
    for (const _ of events) await redis.rpush(ANSWERS, '1')
  }
}
