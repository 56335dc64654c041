/** Writes to pools. Those that are asked for in one turn of the event loop are sent in one call. */
import type { RedisServer, Reply } from './server.ts'

/** One write, as the function in Redis takes it. */
export interface RedisWrite {
  key: string
  type: string
  kind: 'bytes' | 'chunks' | 'removal'
  /** The bytes; of chunks, their blob, number and total size. */
  content: Buffer | string
  /** Version that the object must have; any when absent. */
  expectedVersion?: number | undefined
}

interface Request {
  args: (string | Buffer)[]
  bytes: number
  resolve: (reply: Reply) => void
  reject: (error: Error) => void
}

/** What was asked for in this turn and is not sent yet. */
interface Waiting {
  requests: Request[]
  bytes: number
}

/** Largest call: Redis does nothing else meanwhile. */
const MAX_CALL_REQUESTS = 100
const MAX_CALL_BYTES = 1024 * 1024

/** Sends writes. */
export class Writes {
  readonly #server: RedisServer
  readonly #graceMs: number
  #waiting = new Map<string, Waiting>()

  /** @param graceMs how long chunks of dropped versions are kept for readers, in ms */
  constructor(server: RedisServer, graceMs: number) {
    this.#server = server
    this.#graceMs = graceMs
  }

  /** Makes all of these writes to the pool at a Redis key, or none. Resolves with infos and then tickets, or with a refusal. */
  send(pool: string, writes: readonly RedisWrite[]): Promise<Reply> {
    const args: (string | Buffer)[] = []
    let bytes = 0
    for (const [at, { key, type, kind, content, expectedVersion = '' }] of writes.entries()) {
      const last = at === writes.length - 1 ? 1 : 0
      args.push(key, `${last}|${kind}|${expectedVersion}|${type}`, content)
      bytes += content.length
    }
    return new Promise((resolve, reject) => {
      const request = { args, bytes, resolve, reject }
      const waiting = this.#waiting.get(pool)
      if (!waiting) {
        if (this.#waiting.size === 0) process.nextTick(() => this.flush())
        this.#waiting.set(pool, { requests: [request], bytes })
        return
      }
      if (waiting.bytes + bytes > MAX_CALL_BYTES) this.#flush(pool, waiting)
      waiting.requests.push(request)
      waiting.bytes += bytes
      // Redis works on these while the rest of the turn goes on.
      if (waiting.requests.length === MAX_CALL_REQUESTS) this.#flush(pool, waiting)
    })
  }

  /** Sends what waits. */
  flush(): void {
    const waiting = this.#waiting
    this.#waiting = new Map()
    for (const [pool, each] of waiting) this.#flush(pool, each)
  }

  #flush(pool: string, waiting: Waiting): void {
    const { requests } = waiting
    waiting.requests = []
    waiting.bytes = 0
    if (requests.length > 0) void this.#call(pool, requests)
  }

  async #call(pool: string, requests: readonly Request[]): Promise<void> {
    try {
      const args: (string | Buffer | number)[] = [this.#graceMs]
      for (const request of requests) for (const each of request.args) args.push(each)
      const outcomes = await this.#server.writeAll('write', pool, args)
      for (const [at, { resolve, reject }] of requests.entries()) {
        const outcome = outcomes[at] as Reply | Error
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
      }
    } catch (error) {
      for (const { reject } of requests) reject(error as Error)
    }
  }
}
