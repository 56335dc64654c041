/** What a call is answered: its items and how it went, in the form its caller reads. */
import type { ServerResponse } from 'node:http'
import type { FunctionConfig } from '@hivemind/task-runner'
import {
  attributeToHeader,
  type Emitted,
  encodeFunctionFrame,
  encodeOutcome,
  type FunctionLog,
  type FunctionStats,
  type FunctionStep,
  ITEMS_TYPE,
  MAX_EVENT_BYTES,
  OUTCOME_TYPE,
  statsToAttributes,
  TaskError,
} from '@hivemind/task-runner'
import { CBOR, decodeValue, type EncodedValue, previewOfValue } from '@hivemind/values'
import type { Call } from './call.ts'
import { type Event, type Mode, toJson, writeEvent } from './event.ts'
import type { Sink } from './sink.ts'

/** The first steps of an answer wait so long for more, in ms. */
const FIRST_STEPS_MS = 10
/** Lines of one call that are kept for its answer. */
const MAX_LOGS = 1_000
const BATCH = 'application/cloudevents-batch+json; charset=utf-8'

/** Takes the items of a call and ends the answer. */
export interface Answer {
  onItem(item: Emitted, index: number): Promise<void>
  onLog(log: FunctionLog): void
  end(stats: FunctionStats, state: Uint8Array | undefined): void
  fail(error: TaskError): void
}

/** What answers have in common. */
export interface AnswerContext {
  config: Omit<FunctionConfig, 'coPlaced'>
  call: Call
  /** Mode of the event, in which a caller that is no run core is answered. */
  mode: Mode
  response: ServerResponse
}

/** The form of answer that a call asks for. */
export function answerTo(context: AnswerContext, sink: Sink): Answer {
  const { call, config } = context
  if (call.sink !== undefined) return new SinkAnswer(context, sink, call.sink)
  if (config.emits === 'one') return new ItemAnswer(context)
  return call.fromCore ? new StreamAnswer(context) : new BatchAnswer(context)
}

abstract class BaseAnswer {
  protected readonly context: AnswerContext
  protected readonly logs: FunctionLog[] = []

  constructor(context: AnswerContext) {
    this.context = context
  }

  onLog(log: FunctionLog): void {
    if (this.context.call.fromCore && this.logs.length < MAX_LOGS) this.logs.push(log)
  }

  fail(error: TaskError): void {
    const { kind, message, detail } = error
    const logs = this.logs.length > 0 && { logs: this.logs }
    sendJson(this.context.response, 500, { kind, message, detail, ...logs })
  }

  /** The event of an item, for callers that are no run core and for sinks. */
  protected eventOf(value: EncodedValue, index: number): Event {
    const { call, config } = this.context
    return {
      attributes: { ...attributesOf(config, call, index), hmindex: String(index) },
      data: call.json && value.type === CBOR ? asJson(value) : value,
    }
  }
}

function attributesOf(
  { task, workflow, dataOut }: AnswerContext['config'],
  call: Call,
  index: number,
): Record<string, string> {
  return {
    specversion: '1.0',
    id: `${call.id}/${index}`,
    type: `dev.hivemind.${workflow}.${dataOut ?? task}`,
    source: `/hivemind/${encodeURIComponent(workflow)}/${encodeURIComponent(task)}`,
    ...(call.subject !== undefined && { subject: call.subject }),
  }
}

/** CBOR as JSON, for callers that speak JSON; bytes inside become `{ $bytes: base64 }`. */
function asJson(value: EncodedValue): EncodedValue {
  const json = previewOfValue(decodeValue(value), Number.POSITIVE_INFINITY)
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) }
}

/** The answer is the item. */
class ItemAnswer extends BaseAnswer implements Answer {
  #item: Emitted | undefined

  async onItem(item: Emitted): Promise<void> {
    this.#item = item
  }

  end(stats: FunctionStats, state: Uint8Array | undefined): void {
    const { call, config, mode, response } = this.context
    const item = this.#item
    const { logs } = this
    if (call.fromCore && (state || item?.parts || logs.length > 0)) {
      const outcome = {
        ...(item && { item: { value: item.value, ...(item.parts && { parts: item.parts }) } }),
        ...(state && { state }),
        ...(logs.length > 0 && { logs }),
      }
      const attributes = { ...attributesOf(config, call, 0), ...statsToAttributes(stats) }
      const data = { type: OUTCOME_TYPE, bytes: encodeOutcome(outcome) }
      return sendEvent(response, { attributes, data }, 'binary')
    }
    if (!item) {
      response.writeHead(204, headersOf(statsToAttributes(stats)))
      response.end()
      return
    }
    const event = this.eventOf(item.value, 0)
    Object.assign(event.attributes, statsToAttributes(stats))
    sendEvent(response, event, call.fromCore ? 'binary' : mode)
  }
}

/** Each item as it is produced; the caller's socket holds back the task. */
export class StreamAnswer extends BaseAnswer implements Answer {
  readonly #isLast: boolean
  readonly #task: string | undefined

  /**
   * @param isLast the response ends with it; otherwise other calls are answered in it as well
   * @param task named in each frame, where it is not the task that was called
   */
  constructor(
    context: AnswerContext,
    { isLast = true, task }: { isLast?: boolean; task?: string | undefined } = {},
  ) {
    super(context)
    this.#isLast = isLast
    this.#task = task
  }

  override onLog(log: FunctionLog): void {
    void this.#write({ t: 'log', log })
  }

  async onItem(item: Emitted, index: number): Promise<void> {
    await this.#write({ t: 'item', index, item })
  }

  end(stats: FunctionStats, state: Uint8Array | undefined): void {
    void this.#write({ t: 'end', stats, ...(state && { state }) })
    if (this.#isLast) endSteps(this.context.response)
  }

  override fail(error: TaskError): void {
    const { kind, message, detail } = error
    void this.#write({ t: 'failed', problem: { kind, message, detail } })
    if (this.#isLast) endSteps(this.context.response)
  }

  async #write(step: FunctionStep): Promise<void> {
    const { response } = this.context
    if (!response.headersSent) {
      const { config, call } = this.context
      begin(response, { ...headersOf(attributesOf(config, call, 0)), 'content-type': ITEMS_TYPE })
    }
    const frame = this.#task === undefined ? step : { ...step, task: this.#task }
    if (response.destroyed || response.write(encodeFunctionFrame(frame))) return
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off('drain', go)
        response.off('close', go)
        resolve()
      }
      response.on('drain', go)
      response.on('close', go)
    })
  }
}

/**
 * Begins an answer in steps. The first ones are held back for a moment, unless the answer ends before: Knative's proxy beside the function
 * breaks off one answer in a thousand that begins before it has let go of the request's body, if it then waits for more of the answer
 * (https://github.com/knative/serving/issues/12387).
 */
function begin(response: ServerResponse, headers: Record<string, string>): void {
  response.writeHead(200, headers)
  response.cork()
  setTimeout(() => letGo(response), FIRST_STEPS_MS)
}

function letGo(response: ServerResponse): void {
  if (response.writableCorked > 0) response.uncork()
}

/** Ends an answer in steps. */
export function endSteps(response: ServerResponse): void {
  // what is held back at the end is lost
  letGo(response)
  response.end()
}

/** All items together as a JSON batch, for callers that are no run core. */
class BatchAnswer extends BaseAnswer implements Answer {
  readonly #events: Event[] = []
  #bytes = 0

  async onItem({ value }: Emitted, index: number): Promise<void> {
    this.#bytes += value.bytes.length
    if (this.#bytes > MAX_EVENT_BYTES)
      throw new TaskError(
        'value',
        `The items of task '${this.context.config.task}' have more than ${MAX_EVENT_BYTES} bytes together; name a sink for them (hmsink).`,
      )
    this.#events.push(this.eventOf(value, index))
  }

  end(stats: FunctionStats): void {
    const body = Buffer.from(JSON.stringify(this.#events.map(toJson)))
    const { response } = this.context
    response.writeHead(200, {
      ...headersOf(statsToAttributes(stats)),
      'content-type': BATCH,
      'content-length': body.length,
    })
    response.end(body)
  }
}

/** Items go to a sink; the answer tells only how it went. */
class SinkAnswer extends BaseAnswer implements Answer {
  readonly #sink: Sink
  readonly #url: string

  constructor(context: AnswerContext, sink: Sink, url: string) {
    super(context)
    this.#sink = sink
    this.#url = url
  }

  async onItem({ value }: Emitted, index: number): Promise<void> {
    await this.#sink.send(this.#url, writeEvent(this.eventOf(value, index), 'binary'))
  }

  end(stats: FunctionStats): void {
    const { response } = this.context
    response.writeHead(204, headersOf(statsToAttributes(stats)))
    response.end()
  }
}

function headersOf(attributes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [`ce-${name}`, attributeToHeader(value)]),
  )
}

function sendEvent(response: ServerResponse, event: Event, mode: Mode): void {
  const { headers, body } = writeEvent(event, mode)
  response.writeHead(200, { ...headers, 'content-length': body.length })
  response.end(body)
}

/** Sends a JSON answer. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed || response.headersSent) return
  const body = Buffer.from(JSON.stringify(value))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
}
