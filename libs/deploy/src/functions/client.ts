/** Calls cloud functions: one CloudEvent over HTTP for each invocation, whose values stay encoded. */
import { type FailureKind, WorkFailure } from '@hivemind/orchestrator'
import {
  attributeToHeader,
  CALL_TYPE,
  decodeOutcome,
  type Emitted,
  encodeCall,
  type FunctionCall,
  type FunctionLog,
  type FunctionProblem,
  type FunctionStats,
  ITEMS_TYPE,
  OUTCOME_TYPE,
  readFunctionFrames,
  statsFromAttributes,
  type TaskError,
} from '@hivemind/task-runner'
import { type EncodedValue, OCTETS } from '@hivemind/values'
import { Agent, type Dispatcher, request } from 'undici'
import type { Connector } from '../agents/reverse-connections.ts'

/** Longest list of device names that travels as an attribute, in characters. */
const MAX_DEVICES_LENGTH = 2_000
/** How often a call is made again that its function has not begun. */
const MAX_RETRIES = 40
const RETRY_DELAY_MS = 50

/** Where a function takes calls. */
export interface FunctionEndpoint {
  url: string
  /** Name that it is asked by, where that is not the address: an ingress serves many. */
  host?: string
  token?: string
  /** Set when another process has taken its place: calls it did not answer were not begun. */
  retired?: boolean
  /** A way past `url` for one call, where there is one at the moment. */
  direct?(): DirectCall | undefined
}

/** The way of one call to a process of a function that has room for it. */
export interface DirectCall {
  /** The process; host and token are those of the endpoint. */
  url: string
  /** Called once, when the call has ended; `taken` is false when the process did not begin it. */
  done(taken: boolean): void
}

/** One invocation of a function. The fields without a comment are those of `Invocation` and its context. */
export interface FunctionRequest {
  /** Identity of this try: the id of the event. */
  id: string
  workflow: string
  task: string
  run: string
  /** Device whose item it is, or `*`. */
  lane: string
  /** Index of that device among `devices`, or -1. */
  index: number
  devices: readonly string[]
  seq: number
  /** 1 for the first try. */
  attempt?: number
  maxItems?: number
  /** Calls of one key go to one process of the function, in order. */
  key?: string
  timeoutMs?: number
  /** The call is not begun after this time, in ms since 1970. */
  deadline?: number
  inputs: FunctionCall['inputs']
  state?: Uint8Array | null
  firstIndex?: number
  scatterTo?: readonly string[]
  paceMs?: number
  /** W3C `traceparent` of the call. */
  traceparent?: string
}

/** What a caller does with what comes back, and how it gives up. */
export interface FunctionHandlers {
  /** Awaited: a slow taker holds back the function. */
  onItem(item: Emitted, index: number): void | Promise<void>
  onLog?(log: FunctionLog): void
  signal?: AbortSignal
}

/** How an invocation went, and the state at its end when the code has changed it. */
export interface FunctionAnswer extends FunctionStats {
  state?: Uint8Array
}

/** Failures of a connection over which nothing was sent. */
const NOT_REACHED = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Calls functions over connections that it keeps. */
export class FunctionClient {
  readonly #agent: Agent

  /** `connect`: how connections are made; as usual when absent. */
  constructor(connect?: Connector) {
    this.#agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, ...(connect && { connect }) })
  }

  /**
   * Invokes a function. A call that was not begun, because its process was being replaced, is made again. Rejects with
   * `WorkFailure`.
   * @param endpointOf where the function is now; asked again for each try
   */
  async invoke(
    endpointOf: () => FunctionEndpoint | Promise<FunctionEndpoint>,
    work: FunctionRequest,
    handlers: FunctionHandlers,
  ): Promise<FunctionAnswer> {
    const message = messageOf(work)
    for (let retry = 0; ; retry += 1) {
      const endpoint = await located(endpointOf)
      const direct = retry === 0 ? endpoint.direct?.() : undefined
      const to = direct ? { ...endpoint, url: direct.url } : endpoint
      let taken = true
      try {
        const answer = await this.#send(to, message, work, handlers, retry < MAX_RETRIES)
        taken = answer !== 'again'
        if (answer !== 'again') return await this.#read(answer, work, handlers)
      } finally {
        direct?.done(taken)
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #send(
    endpoint: FunctionEndpoint,
    { headers, body }: Message,
    { task }: FunctionRequest,
    { signal }: FunctionHandlers,
    mayRetry: boolean,
  ): Promise<Dispatcher.ResponseData | 'again'> {
    try {
      if (signal?.aborted) throw new Error('aborted')
      const answer = await request(endpoint.url, {
        method: 'POST',
        headers: {
          ...headers,
          ...(endpoint.token !== undefined && { authorization: `Bearer ${endpoint.token}` }),
          ...(endpoint.host !== undefined && { host: endpoint.host }),
        },
        body,
        dispatcher: this.#agent,
        ...(signal && { signal }),
      })
      if (answer.statusCode !== 503 || !mayRetry) return answer
      await answer.body.dump()
      return 'again'
    } catch (error) {
      if (signal?.aborted) throw new WorkFailure('cancelled', 'The invocation was cancelled.')
      const notReached = NOT_REACHED.has((error as NodeJS.ErrnoException).code ?? '')
      if (mayRetry && (notReached || endpoint.retired)) return 'again'
      throw new WorkFailure('crash', `The function '${task}' did not answer: ${(error as Error).message}`)
    }
  }

  async #read(
    answer: Dispatcher.ResponseData,
    { task }: FunctionRequest,
    handlers: FunctionHandlers,
  ): Promise<FunctionAnswer> {
    try {
      const type = String(answer.headers['content-type'] ?? OCTETS)
      if (answer.statusCode === 200 && type === ITEMS_TYPE) return await readStream(answer, handlers)
      const body = Buffer.from(await answer.body.arrayBuffer())
      if (answer.statusCode >= 300) throw failureOf(task, answer.statusCode, body, handlers)
      const stats = statsFromAttributes((name) => textOf(answer.headers[`ce-${name}`]))
      if (answer.statusCode === 204) return stats
      if (type !== OUTCOME_TYPE) {
        const value: EncodedValue = { type, bytes: body }
        await handlers.onItem({ value }, 0)
        return stats
      }
      const { item, state, logs = [] } = decodeOutcome(body)
      for (const log of logs) handlers.onLog?.(log)
      if (item) await handlers.onItem(state ? { ...item, state } : item, 0)
      return state ? { ...stats, state } : stats
    } catch (error) {
      if (error instanceof WorkFailure) throw error
      if (handlers.signal?.aborted) throw new WorkFailure('cancelled', 'The invocation was cancelled.')
      throw new WorkFailure(
        'crash',
        `The function '${task}' broke off its answer: ${(error as Error).message}`,
      )
    }
  }
}

async function located(
  endpointOf: () => FunctionEndpoint | Promise<FunctionEndpoint>,
): Promise<FunctionEndpoint> {
  try {
    return await endpointOf()
  } catch (error) {
    const { kind = 'crash', message, detail = '' } = error as Partial<TaskError> & Error
    throw new WorkFailure(kind, message, detail)
  }
}

async function readStream(
  { body }: Dispatcher.ResponseData,
  handlers: FunctionHandlers,
): Promise<FunctionAnswer> {
  for await (const frame of readFunctionFrames(body as AsyncIterable<Uint8Array>)) {
    if (frame.t === 'item') await handlers.onItem(frame.item, frame.index)
    else if (frame.t === 'log') handlers.onLog?.(frame.log)
    else if (frame.t === 'failed') throw workFailure(frame.problem, handlers)
    else return frame.state ? { ...frame.stats, state: frame.state } : frame.stats
  }
  throw new Error('it ends without an outcome')
}

function failureOf(task: string, status: number, body: Buffer, handlers: FunctionHandlers): WorkFailure {
  const text = body.toString('utf8')
  try {
    const problem = JSON.parse(text) as Partial<FunctionProblem>
    if (problem.kind) return workFailure(problem as FunctionProblem, handlers)
    return new WorkFailure('crash', `The function '${task}' answered ${status}: ${problem.message ?? text}`)
  } catch {
    return new WorkFailure('crash', `The function '${task}' answered ${status}: ${text.slice(0, 200)}`)
  }
}

function workFailure(
  { kind, message, detail, logs = [] }: FunctionProblem,
  handlers: FunctionHandlers,
): WorkFailure {
  for (const log of logs) handlers.onLog?.(log)
  return new WorkFailure(kind satisfies FailureKind, message, detail)
}

interface Message {
  headers: Record<string, string>
  body: Uint8Array
}

/** The event of an invocation: one plain input is the data itself, anything else a map. */
function messageOf(work: FunctionRequest): Message {
  const { inputs, state, firstIndex, scatterTo, paceMs, devices } = work
  const listed = devices.join(',')
  const inAttribute = listed.length <= MAX_DEVICES_LENGTH && !devices.some((name) => name.includes(','))
  const [[name, only] = [], ...others] = Object.entries(inputs)
  const isPlain = !state && firstIndex === undefined && !scatterTo && paceMs === undefined && inAttribute
  const one = isPlain && others.length === 0 && only?.kind === 'one' ? only.value : undefined
  const attributes: Record<string, string | number | undefined> = {
    specversion: '1.0',
    id: work.id,
    source: `/hivemind/${encodeURIComponent(work.workflow)}`,
    type: `dev.hivemind.${work.workflow}.invoke`,
    subject: `${work.lane}/${work.seq}`,
    hmrun: work.run,
    hmlane: work.lane,
    hmindex: work.index,
    hmseq: work.seq,
    hmdevices: inAttribute && listed !== '' ? listed : undefined,
    hmattempt: work.attempt,
    hmmaxitems: work.maxItems,
    hmkey: work.key,
    hmtimeout: work.timeoutMs,
    hmdeadline: work.deadline,
    hminput: one ? name : undefined,
    // The event says where it began; the header, which what is on the way may change, who calls.
    traceparent: work.traceparent,
  }
  const headers: Record<string, string> = {
    'content-type': one?.type ?? CALL_TYPE,
    ...(work.traceparent !== undefined && { traceparent: work.traceparent }),
  }
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== undefined) headers[`ce-${attribute}`] = attributeToHeader(String(value))
  const call: FunctionCall = {
    inputs,
    ...(state && { state }),
    ...(firstIndex !== undefined && { firstIndex }),
    ...(scatterTo && { scatterTo }),
    ...(paceMs !== undefined && { paceMs }),
    ...(!inAttribute && { devices }),
  }
  return { headers, body: one?.bytes ?? encodeCall(call) }
}

function textOf(header: string | string[] | undefined): string | undefined {
  if (Array.isArray(header)) return header[0]
  return header?.includes('%') ? decodeURIComponent(header) : header
}
