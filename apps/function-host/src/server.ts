/**
 * One cloud function, of one task or of several that are co-placed, as an HTTP server of CloudEvents. `POST /` invokes it; `GET /healthz`, `/readyz`, `/lease`, `/hold` and `/proof` are
 * for whoever supervises it.
 */
import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FunctionConfig, FunctionLog, RunnerSpec, TaskRunner } from '@hivemind/task-runner'
import {
  CHALLENGE_HEADER,
  createTaskRunner,
  functionName,
  HOLD_PATH,
  MAX_CHALLENGE_LENGTH,
  MAX_EVENT_BYTES,
  MAX_HOLD_MS,
  PROOF_PATH,
  proofOf,
  tasksOf,
} from '@hivemind/task-runner'
import { answerTo, sendJson } from './answer.ts'
import { type Call, readCall } from './call.ts'
import { Chain } from './chain.ts'
import { readEvent } from './event.ts'
import { invoke } from './invocation.ts'
import { Lease } from './lease.ts'
import { now } from './pool.ts'
import { Refusal } from './refusal.ts'
import { Sink } from './sink.ts'
import { HostTasks } from './tasks.ts'

/** Connections of callers are kept open for so long without a request, in ms. */
const KEEP_ALIVE_MS = 75_000

/** What a function host tells while it runs. */
export interface HostEvents {
  /** A line that task code has logged. */
  onLog(call: Call, log: FunctionLog): void
  /** A line that task code has printed while it was loaded. */
  onLoadLog(log: FunctionLog, task: string): void
  /** Nobody has renewed the lease. */
  onLeaseEnd(): void
}

/** A function that is served. */
export class FunctionServer {
  readonly #config: FunctionConfig
  readonly #events: HostEvents
  readonly #tasks: HostTasks
  readonly #sink = new Sink()
  readonly #server: Server
  readonly #lease: Lease | undefined
  readonly #startedAt = now()
  #ready = false
  #draining = false
  #open = 0
  #calls = 0
  #onIdle: () => void = () => {}
  /** Aborts what is held when the function ends. */
  readonly #ending = new AbortController()

  /** @param create makes what runs one invocation at a time; processes of the task's code when absent */
  constructor(
    config: FunctionConfig,
    events: HostEvents,
    create: (spec: RunnerSpec) => TaskRunner = createTaskRunner,
  ) {
    this.#config = config
    this.#events = events
    this.#tasks = new HostTasks(config, create, events.onLoadLog)
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
    await this.#tasks.warm()
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
    this.#ending.abort()
    if (this.#open > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    await this.close()
  }

  /** Ends at once, also what is being worked on. */
  async close(): Promise<void> {
    this.#draining = true
    this.#ending.abort()
    this.#lease?.end()
    await this.#tasks.close()
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
    if (path === HOLD_PATH && method === 'GET') {
      this.#authorize(incoming)
      await sleep(heldMs(url), undefined, { signal: this.#ending.signal }).catch(() => {})
      response.writeHead(204).end()
      return
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
      throw new Refusal(
        503,
        `The function '${functionName(tasksOf(this.#config), this.#config.node)}' is ending and takes no more calls.`,
      )
    }
    this.#open += 1
    this.#calls += 1
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
    const hosted = this.#tasks.of(event.attributes.hmtask)
    const call = readCall(event, hosted.config, incoming.headers.traceparent)
    const context = { config: hosted.config, call, mode, response }
    if (call.next.length > 0)
      await new Chain(this.#tasks, call.next, context, gone.signal, this.#events).run(hosted)
    else await invoke(hosted, call, answerTo(context, this.#sink), gone.signal, this.#events)
    if (!response.writableFinished && !response.destroyed)
      await new Promise((resolve) => response.once('close', resolve).once('finish', resolve))
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
      calls: this.#calls,
      running: this.#tasks.running,
      waiting: this.#tasks.waiting,
      memoryMB: Math.round(this.#tasks.memoryMB() + process.memoryUsage.rss() / 1e6),
      upSeconds: Math.round((now() - this.#startedAt) / 1000),
    }
  }
}

/** For how long a request asks to be held, in ms. Throws `Refusal`. */
function heldMs(url: string): number {
  const ms = new URL(url, 'http://localhost').searchParams.get('ms') ?? ''
  if (/^\d+$/.test(ms) && Number(ms) <= MAX_HOLD_MS) return Number(ms)
  throw new Refusal(400, `Say for how long, in ms from 0 to ${MAX_HOLD_MS}: ${HOLD_PATH}?ms=200.`)
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
