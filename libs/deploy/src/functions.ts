/**
 * Cloud functions of one deployment. Each takes CloudEvents over HTTP (binary content mode, CBOR data) at
 * `/functions/<task>`, and posts every item it produces as a CloudEvent to the sink it was started with, as functions
 * on Knative do (`K_SINK`). The answer to a call, JSON, tells how it went.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { PlanTask } from '@hivemind/synthesis'
import { type InvocationContext, TaskError } from '@hivemind/task-runner'
import { CloudEvent, HTTP } from 'cloudevents'
import { Agent, request } from 'undici'
import type { FunctionPool, PoolResult } from './pool.ts'
import { CBOR, decodeValue, encodeValue } from './values.ts'

/** Largest event a function takes or sends, in bytes. */
const MAX_EVENT_BYTES = 64 * 1024 * 1024

/** What the data of an invocation event holds. */
export interface InvocationData {
  inputs: Record<string, unknown>
  context: InvocationContext
}

/** What a function answers: how the invocation went, in ms and bytes. */
export type FunctionAnswer =
  | ({ ok: true; waitMs: number; bytesIn: number; bytesOut: number } & PoolResult)
  | { ok: false; kind: TaskError['kind']; message: string; detail: string }

export interface FunctionHost {
  url: string
  close(): Promise<void>
}

interface FunctionEntry {
  task: PlanTask
  pool: FunctionPool
}

export interface FunctionHostOptions {
  workflow: string
  functions: Map<string, FunctionEntry>
  /** Where items go: a URL that takes CloudEvents. */
  sink: string
  now: () => number
  onLog: (
    task: string,
    context: InvocationContext,
    level: 'debug' | 'info' | 'warn' | 'error',
    text: string,
  ) => void
}

/** Reads a whole body, or rejects when it is larger than a function takes. */
export async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_EVENT_BYTES) throw new Error(`An event may have at most ${MAX_EVENT_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** Listens on a free loopback port. */
export function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject)
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    })
  })
}

export async function startFunctions(options: FunctionHostOptions): Promise<FunctionHost> {
  const client = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  const server = createServer({ requestTimeout: 0 }, (incoming, response) => {
    serve(incoming, response, options, client).catch((error: Error) => {
      if (!response.headersSent) answerJson(response, 400, { error: error.message })
      else response.destroy()
    })
  })
  const url = await listen(server)
  return {
    url,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await client.destroy()
    },
  }
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  options: FunctionHostOptions,
  client: Agent,
): Promise<void> {
  const name = decodeURIComponent(/^\/functions\/([^/]+)$/.exec(incoming.url ?? '')?.[1] ?? '')
  const entry = options.functions.get(name)
  if (!entry) return answerJson(response, 404, { error: `There is no function '${name}'.` })
  if (incoming.method !== 'POST') return answerJson(response, 405, { error: 'Functions take POST only.' })
  const body = await readBody(incoming)
  const event = HTTP.toEvent({ headers: incoming.headers, body }) as CloudEvent<Buffer>
  const data = decodeValue(event.data ?? Buffer.alloc(0)) as InvocationData
  const arrivedAt = options.now()
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  answerJson(response, 200, await invoke(entry, event, data, arrivedAt, options, client, gone.signal))
}

async function invoke(
  { task, pool }: FunctionEntry,
  event: CloudEvent<Buffer>,
  { inputs, context }: InvocationData,
  arrivedAt: number,
  options: FunctionHostOptions,
  client: Agent,
  signal: AbortSignal,
): Promise<FunctionAnswer> {
  let bytesOut = 0
  const type = `dev.hivemind.${options.workflow}.${task.dataOut ?? task.name}`
  try {
    const result = await pool.invoke(
      {
        inputs,
        context,
        timeoutMs: task.timeoutMs,
        signal,
        onLog: (level, text) => options.onLog(task.name, context, level, text),
        onItem: async (value, index) => {
          const bytes = encodeValue(value)
          bytesOut += bytes.length
          const item = new CloudEvent({
            id: `${event.id}/${index}`,
            type,
            source: `/hivemind/${options.workflow}/${task.name}`,
            subject: event.subject,
            datacontenttype: CBOR,
            data: bytes,
            hminvocation: event.id,
            hmindex: index,
          })
          await post(client, options.sink, item)
        },
      },
      options.now,
    )
    const waitMs = result.startedAt - arrivedAt
    return { ok: true, waitMs, bytesIn: event.data?.length ?? 0, bytesOut, ...result }
  } catch (error) {
    if (error instanceof TaskError)
      return { ok: false, kind: error.kind, message: error.message, detail: error.detail }
    return { ok: false, kind: 'crash', message: (error as Error).message, detail: '' }
  }
}

/** Sends one CloudEvent; resolves to the JSON answer. Rejects when the receiver does not take it. */
export async function post(
  client: Agent,
  url: string,
  event: CloudEvent<Buffer>,
  signal?: AbortSignal,
): Promise<unknown> {
  const { headers, body } = HTTP.binary(event)
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const answer = await request(url, {
    method: 'POST',
    headers: flat,
    body: body as Buffer,
    dispatcher: client,
    signal,
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${url} answered ${answer.statusCode}: ${text.slice(0, 200)}`)
  return text === '' ? null : JSON.parse(text)
}
