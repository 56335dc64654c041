/** Calls cloud functions: one CloudEvent over HTTP for each invocation, whose values stay encoded. */
import { type FailureKind, WorkFailure } from '@hivemind/orchestrator'
import {
  attributeToHeader,
  CALL_TYPE,
  decodeOutcome,
  type Emitted,
  encodeCall,
  type FunctionCall,
  type FunctionFrame,
  type FunctionLog,
  type FunctionProblem,
  type FunctionStats,
  ITEMS_TYPE,
  type NextTask,
  nextToAttribute,
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
  /** No process of it is ready: a call waits until one has started. Absent where functions do not go to zero. */
  isAtZero?(): boolean
  /**
   * A way past `url` for one call, where there is one at the moment; waits for it where `url` leads nowhere yet, until `signal` aborts.
   * Rejects with `TaskError` where the function cannot start.
   */
  direct?(signal?: AbortSignal): Promise<DirectCall | undefined>
  /** What broke off a call that began at a time of the clock of `performance` and has just failed, where that is known. */
  whyBroken?(since: number): Promise<BrokenBy | undefined>
}

/** What has happened to a function: behind its name. */
export interface BrokenBy {
  message: string
  /** It used more memory than it may. */
  memory?: true
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
  /** Co-placed tasks that the function goes on with when it has emitted its item; needs `FunctionHandlers.rest`. */
  next?: readonly NextTask[]
}

/** Told how the co-placed tasks go that a function goes on with: while the call lasts, and afterwards. */
export interface Rest {
  /** Aborts when nobody wants to know any more. */
  readonly signal: AbortSignal
  /** The call itself has emitted its item. */
  arrived(task: string): void
  step(frame: FunctionFrame): void
  /** The call itself has ended. */
  answered(): void
  /** Nothing more comes: all is told, or the connection broke. */
  ended(error?: Error): void
}

/** Thrown where a container has not gone on with a task: it is to be called. */
export class NotContinued extends Error {}

/** The steps of one call. */
export type FunctionSteps = AsyncGenerator<FunctionFrame, void, undefined>

/** What a caller does with what comes back, and how it gives up. */
export interface FunctionHandlers {
  /** Awaited: a slow taker holds back the function. */
  onItem(item: Emitted, index: number): void | Promise<void>
  onLog?(log: FunctionLog): void
  signal?: AbortSignal
  rest?: Rest
}

/** How an invocation went, and the state at its end when the code has changed it. */
export interface FunctionAnswer extends FunctionStats {
  state?: Uint8Array
  /** The function was at zero. */
  fromZero?: boolean
  /** ms until a container of it took the call; absent where its way does not tell. */
  containerMs?: number
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
    const signal = givenUp(handlers)
    const from = performance.now()
    let start: Pick<FunctionAnswer, 'fromZero' | 'containerMs'> = {}
    for (let retry = 0; ; retry += 1) {
      const { endpoint, direct } = await located(endpointOf, async (endpoint) => {
        if (endpoint.isAtZero?.()) start = { fromZero: true }
        return retry === 0 ? endpoint.direct?.(signal) : undefined
      }).catch((error: unknown) => {
        handlers.rest?.ended()
        throw error
      })
      if (direct && start.fromZero) start.containerMs = performance.now() - from
      const to = direct ? { ...endpoint, url: direct.url } : endpoint
      let taken = true
      // a process is busy until it has told everything
      let over: Promise<void> | undefined
      try {
        const answer = await this.#send(to, message, work, signal, retry < MAX_RETRIES)
        taken = answer !== 'again'
        if (answer !== 'again') {
          const { answered, rest } = this.#read(answer, work, handlers)
          over = rest
          return { ...(await answered), ...start }
        }
      } catch (error) {
        if (!over) handlers.rest?.ended()
        throw await explained(error as Error, endpoint, work.task, from)
      } finally {
        if (direct) void Promise.resolve(over).finally(() => direct.done(taken))
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
    signal: AbortSignal | undefined,
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
      throw new BrokenOff(`The function '${task}' did not answer: ${(error as Error).message}`)
    }
  }

  /** Reads the answer of a call, and what follows it on the connection: `rest` resolves when that is over. */
  #read(
    answer: Dispatcher.ResponseData,
    work: FunctionRequest,
    handlers: FunctionHandlers,
  ): { answered: Promise<FunctionAnswer>; rest?: Promise<void> } {
    const type = String(answer.headers['content-type'] ?? OCTETS)
    if (answer.statusCode !== 200 || type !== ITEMS_TYPE)
      return { answered: readWhole(answer, type, work, handlers).finally(() => handlers.rest?.ended()) }
    const frames = readFunctionFrames(answer.body as AsyncIterable<Uint8Array>)
    const { rest } = handlers
    if (!rest) return { answered: readSteps(work.task, frames, handlers) }
    const own = stepsOf(work.task, frames, rest)
    const answered = readSteps(work.task, own, handlers)
    const over = answered
      .catch(() => {})
      .then(async () => {
        rest.answered()
        for await (const frame of frames) rest.step(frame)
      })
      .then(
        () => rest.ended(),
        (error: Error) => rest.ended(brokenOff(work.task, error)),
      )
    return { answered, rest: over }
  }
}

/** Aborts when nobody wants the answer any more. */
const givenUp = ({ signal, rest }: FunctionHandlers): AbortSignal | undefined =>
  rest ? AbortSignal.any([rest.signal, ...(signal ? [signal] : [])]) : signal

/** The steps of the call itself; those of what follows go to `rest`. Ends with the call, and leaves the others to be read. */
async function* stepsOf(task: string, frames: FunctionSteps, rest: Rest): FunctionSteps {
  for (let next = await frames.next(); !next.done; next = await frames.next()) {
    const frame = next.value
    if (frame.task !== undefined) {
      rest.step(frame)
      continue
    }
    if (frame.t === 'item') rest.arrived(task)
    yield frame
  }
}

/** A call that has no answer from the function itself. */
class BrokenOff extends WorkFailure {
  constructor(message: string) {
    super('crash', message)
  }
}

const brokenOff = (task: string, error: Error): WorkFailure =>
  new BrokenOff(`The function '${task}' broke off its answer: ${error.message}`)

/** The failure of a call, with what has happened to its function where the endpoint knows. */
async function explained(
  error: Error,
  endpoint: FunctionEndpoint,
  task: string,
  from: number,
): Promise<Error> {
  const why = error instanceof BrokenOff ? await endpoint.whyBroken?.(from) : undefined
  if (!why) return error
  return new WorkFailure(why.memory ? 'memory' : 'crash', `The function '${task}' failed: ${why.message}`)
}

/** Reads an answer that is one message. */
async function readWhole(
  answer: Dispatcher.ResponseData,
  type: string,
  { task }: FunctionRequest,
  handlers: FunctionHandlers,
): Promise<FunctionAnswer> {
  try {
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
    throw failedReading(task, error, handlers)
  }
}

/** Reads the steps of a call until it has ended, and tells `handlers`. Rejects with `WorkFailure`. */
export async function readSteps(
  task: string,
  steps: FunctionSteps,
  handlers: FunctionHandlers,
): Promise<FunctionAnswer> {
  try {
    for await (const step of steps)
      if (step.t === 'item') await handlers.onItem(step.item, step.index)
      else if (step.t === 'log') handlers.onLog?.(step.log)
      else if (step.t === 'failed') throw workFailure(step.problem, handlers)
      else return step.state ? { ...step.stats, state: step.state } : step.stats
    throw new Error('it ends without an outcome')
  } catch (error) {
    throw failedReading(task, error, handlers)
  }
}

function failedReading(task: string, error: unknown, { signal }: FunctionHandlers): Error {
  if (error instanceof WorkFailure || error instanceof NotContinued) return error
  if (signal?.aborted) return new WorkFailure('cancelled', 'The invocation was cancelled.')
  return brokenOff(task, error as Error)
}

async function located(
  endpointOf: () => FunctionEndpoint | Promise<FunctionEndpoint>,
  directTo: (endpoint: FunctionEndpoint) => Promise<DirectCall | undefined>,
): Promise<{ endpoint: FunctionEndpoint; direct: DirectCall | undefined }> {
  try {
    const endpoint = await endpointOf()
    return { endpoint, direct: await directTo(endpoint) }
  } catch (error) {
    const { kind = 'crash', message, detail = '' } = error as Partial<TaskError> & Error
    throw new WorkFailure(kind, message, detail)
  }
}

function failureOf(task: string, status: number, body: Buffer, handlers: FunctionHandlers): WorkFailure {
  const text = body.toString('utf8')
  try {
    const problem = JSON.parse(text) as Partial<FunctionProblem>
    if (problem.kind) return workFailure(problem as FunctionProblem, handlers)
    return answeredBy(task, status, problem.message ?? text)
  } catch {
    return answeredBy(task, status, text.slice(0, 200))
  }
}

/** An answer that says nothing of the task: that of somebody on the way when it is a server's error. */
function answeredBy(task: string, status: number, text: string): WorkFailure {
  const message = `The function '${task}' answered ${status}: ${text}`
  return status >= 500 ? new BrokenOff(message) : new WorkFailure('crash', message)
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
    hmtask: work.task,
    hmthen: work.next && work.next.length > 0 ? nextToAttribute(work.next) : undefined,
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
