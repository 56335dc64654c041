/**
 * One cloud function as an HTTP server of CloudEvents. `POST /` invokes it; `GET /healthz`, `/readyz`, `/lease` and `/proof` are
 * for whoever supervises it.
 */
import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FunctionConfig, RunnerSpec, TaskRunner } from '@hivemind/task-runner'
import {
  CHALLENGE_HEADER,
  createTaskRunner,
  type Emitted,
  type FunctionLog,
  functionName,
  MAX_CHALLENGE_LENGTH,
  MAX_EVENT_BYTES,
  PROOF_PATH,
  proofOf,
  TaskError,
} from '@hivemind/task-runner'
import { type Answer, answerTo, sendJson } from './answer.ts'
import { type Call, readCall } from './call.ts'
import { readEvent } from './event.ts'
import { Lease } from './lease.ts'
import { now, type PoolResult, ProcessPool } from './pool.ts'
import { Refusal } from './refusal.ts'
import { Sink } from './sink.ts'

/** Connections of callers are kept open for so long without a request, in ms. */
const KEEP_ALIVE_MS = 75_000

/** What a function host tells while it runs. */
export interface HostEvents {
  /** A line that task code has logged. */
  onLog(call: Call, log: FunctionLog): void
  /** A line that task code has printed while it was loaded. */
  onLoadLog(log: FunctionLog): void
  /** Nobody has renewed the lease. */
  onLeaseEnd(): void
}

/** A function that is served. */
export class FunctionServer {
  readonly #config: FunctionConfig
  readonly #events: HostEvents
  readonly #pool: ProcessPool
  readonly #sink = new Sink()
  readonly #server: Server
  readonly #lease: Lease | undefined
  readonly #startedAt = now()
  #ready = false
  #draining = false
  #open = 0
  #onIdle: () => void = () => {}

  /** @param create makes what runs one invocation at a time; processes of the task's code when absent */
  constructor(
    config: FunctionConfig,
    events: HostEvents,
    create: (spec: RunnerSpec) => TaskRunner = createTaskRunner,
  ) {
    this.#config = config
    this.#events = events
    const spec: RunnerSpec = { ...config, onLoadLog: (level, text) => events.onLoadLog({ level, text }) }
    this.#pool = new ProcessPool(functionName(config.task, config.node), config.concurrency, () =>
      create(spec),
    )
    this.#lease = config.leaseSeconds
      ? new Lease(config.leaseSeconds * 1000, () => this.#open > 0, events.onLeaseEnd)
      : undefined
    this.#server = createServer(
      { requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS },
      (incoming, response) => {
        this.#serve(incoming, response).catch((error: Error) => {
          if (error instanceof Refusal) sendJson(response, error.status, { message: error.message })
          else sendJson(response, 500, { kind: 'crash', message: error.message, detail: '' })
          if (!response.writableEnded) response.destroy()
        })
      },
    )
  }

  /** Loads the code and listens; resolves to the port. Rejects with `TaskError` when the code cannot be loaded. */
  async start(): Promise<number> {
    await this.#pool.warm()
    const { host, port = 0 } = this.#config
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
    this.#ready = true
    this.#lease?.renew()
    return (this.#server.address() as AddressInfo).port
  }

  /** Refuses new calls, finishes those that came before, and ends. */
  async drain(): Promise<void> {
    this.#draining = true
    if (this.#open > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    await this.close()
  }

  /** Ends at once, also what is being worked on. */
  async close(): Promise<void> {
    this.#draining = true
    this.#lease?.end()
    await this.#pool.close()
    this.#server.closeIdleConnections()
    setTimeout(() => this.#server.closeAllConnections(), 100).unref()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
    await this.#sink.close()
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming
    const path = url.split('?', 1)[0]
    if (path === '/healthz' && method === 'GET') return sendJson(response, 200, this.#health())
    if (path === '/readyz' && method === 'GET')
      return sendJson(response, this.#ready && !this.#draining ? 200 : 503, { draining: this.#draining })
    if (path === '/lease' && method === 'GET') {
      this.#authorize(incoming)
      this.#lease?.renew()
      return sendJson(response, 200, {
        task: this.#config.task,
        leaseSeconds: this.#config.leaseSeconds ?? null,
      })
    }
    if (path === PROOF_PATH && method === 'GET')
      return sendJson(response, 200, { proof: this.#proof(incoming.headers[CHALLENGE_HEADER]) })
    if (path !== '/') throw new Refusal(404, `There is nothing at '${path}'; the function is at '/'.`)
    if (method !== 'POST') {
      response.setHeader('allow', 'POST')
      throw new Refusal(405, 'A function takes POST with a CloudEvent.')
    }
    this.#authorize(incoming)
    this.#lease?.renew()
    if (this.#draining) {
      response.setHeader('connection', 'close')
      throw new Refusal(503, `The function '${this.#config.task}' is ending and takes no more calls.`)
    }
    this.#open += 1
    try {
      await this.#invoke(incoming, response)
    } finally {
      this.#open -= 1
      this.#lease?.renew()
      if (this.#open === 0) this.#onIdle()
    }
  }

  async #invoke(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.on('close', () => {
      if (!response.writableFinished) gone.abort()
    })
    const body = await readBody(incoming)
    const { event, mode } = readEvent(incoming.headers, body)
    const call = readCall(event, this.#config, incoming.headers.traceparent)
    const answer = answerTo({ config: this.#config, call, mode, response }, this.#sink)
    const arrivedAt = now()
    const items = new ItemGuard(this.#config, answer)
    try {
      const result = await this.#run(call, answer, items, gone.signal)
      const { state, ...stats } = result
      const waitMs = result.startedAt - arrivedAt
      answer.end({ ...stats, waitMs, bytesIn: call.bytesIn, bytesOut: items.bytes }, state)
    } catch (error) {
      const failure = items.failure ?? error
      answer.fail(failure instanceof TaskError ? failure : new TaskError('crash', (error as Error).message))
    }
    if (!response.writableFinished && !response.destroyed)
      await new Promise((resolve) => response.once('close', resolve).once('finish', resolve))
  }

  #run(call: Call, answer: Answer, items: ItemGuard, signal: AbortSignal): Promise<PoolResult> {
    const { inputs, context, timeoutMs, state, firstIndex, scatterTo, paceMs, deadline } = call
    return this.#pool.invoke(
      call.key,
      {
        inputs,
        context,
        timeoutMs,
        signal,
        ...(state && { state }),
        ...(firstIndex !== undefined && { firstIndex }),
        ...(scatterTo && { scatterTo }),
        ...(paceMs !== undefined && { paceMs }),
        onItem: (item, index) => items.take(item, index),
        onLog: (level, text) => {
          answer.onLog({ level, text })
          this.#events.onLog(call, { level, text })
        },
      },
      () => {
        if (deadline !== undefined && now() > deadline)
          throw new TaskError(
            'cancelled',
            `The deadline of task '${context.task}' had passed before it could start.`,
          )
      },
    )
  }

  #proof(challenge: unknown): string {
    const { token } = this.#config
    if (token === undefined) throw new Refusal(404, 'This function has no token, so it can prove nothing.')
    if (typeof challenge !== 'string' || challenge === '' || challenge.length > MAX_CHALLENGE_LENGTH)
      throw new Refusal(
        400,
        `Send a challenge of up to ${MAX_CHALLENGE_LENGTH} characters as ${CHALLENGE_HEADER}.`,
      )
    return proofOf(token, challenge)
  }

  #authorize({ headers }: IncomingMessage): void {
    const { token } = this.#config
    if (token === undefined) return
    const given = Buffer.from(/^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '')
    const wanted = Buffer.from(token)
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
      throw new Refusal(401, 'The token is missing or wrong: send Authorization: Bearer TOKEN.')
  }

  #health(): Record<string, unknown> {
    const { task, workflow, configHash } = this.#config
    return {
      task,
      workflow,
      pid: process.pid,
      configHash: configHash ?? null,
      ready: this.#ready,
      draining: this.#draining,
      running: this.#pool.running,
      waiting: this.#pool.waiting,
      memoryMB: Math.round(this.#pool.memoryMB() + process.memoryUsage.rss() / 1e6),
      upSeconds: Math.round((now() - this.#startedAt) / 1000),
    }
  }
}

/** Counts the items of a call and holds them to what its kind allows. */
class ItemGuard {
  /** Why the call fails, though its code went on. */
  failure: TaskError | undefined
  bytes = 0
  readonly #config: FunctionConfig
  readonly #answer: Answer
  #items = 0

  constructor(config: FunctionConfig, answer: Answer) {
    this.#config = config
    this.#answer = answer
  }

  async take(item: Emitted, index: number): Promise<void> {
    this.#items += 1
    const { task, emits, dataOut } = this.#config
    const data = dataOut ?? task
    try {
      if (emits === 'one' && this.#items > 1)
        throw new TaskError(
          'value',
          `Task '${task}' emitted a second item where it may emit one: return a list, or declare Data('${data}', kind='stream').`,
        )
      this.bytes += item.value.bytes.length
      await this.#answer.onItem(item, index)
    } catch (error) {
      if (error instanceof TaskError) this.failure ??= error
      throw error
    }
  }
}

/** Reads a whole body. Throws `Refusal` when it is larger than a function takes, or compressed. */
async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const encoding = incoming.headers['content-encoding']
  if (encoding && encoding !== 'identity')
    throw new Refusal(415, `A function takes no ${encoding} encoding; send the body as it is.`)
  if (Number(incoming.headers['content-length']) > MAX_EVENT_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  await new Promise<void>((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_EVENT_BYTES) reject(tooLarge())
      else chunks.push(chunk)
    })
    incoming.once('end', resolve)
    incoming.once('error', reject)
  })
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}

const tooLarge = (): Refusal => new Refusal(413, `An event may have at most ${MAX_EVENT_BYTES} bytes.`)
