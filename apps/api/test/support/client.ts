/** Calls the service over HTTP by the names of the contract, and holds every answer against it. */
import { type Route, type RouteName, routes, type ServerEvent } from '@hivemind/contracts'
import { z } from 'zod'

export interface Call {
  path?: Record<string, string | number>
  query?: Record<string, string>
  body?: unknown
  /** Instead of `body`. */
  bytes?: Uint8Array<ArrayBuffer> | ReadableStream
  headers?: Record<string, string>
}

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  body: any
  headers: Headers
}

export interface Heard {
  all: ServerEvent[]
  /** Of each event; `NaN` of a reset. */
  ids: number[]
  comments: number
  stop: () => void
}

const problem = z.looseObject({ title: z.string(), status: z.number(), detail: z.string() })

export class Client {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  /** Any answer; a good one must be of the contract's shape, a bad one a problem. */
  async call(name: RouteName, { path = {}, query, body, bytes, headers }: Call = {}): Promise<Reply> {
    const route: Route = routes[name]
    const where = route.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(path[key])))
    const search = query ? `?${new URLSearchParams(query)}` : ''
    const response = await fetch(`${this.url}api${where}${search}`, {
      method: route.method.toUpperCase(),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(bytes === undefined ? {} : { 'content-type': 'application/octet-stream' }),
        ...headers,
      },
      ...(bytes === undefined ? {} : { body: bytes, duplex: 'half' }),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const answer = isJson ? JSON.parse(text) : text
    if (response.ok) {
      if (response.status !== route.status) throw new Error(`${name} answered ${response.status}`)
      if (route.answer instanceof z.ZodType) route.answer.parse(answer)
    } else {
      if (!response.headers.get('content-type')?.startsWith('application/problem+json'))
        throw new Error(`${name} answered ${response.status} without problem details: ${text}`)
      problem.parse(answer)
    }
    return { status: response.status, body: answer, headers: response.headers }
  }

  /** The body of a good answer. */
  async ok(name: RouteName, call: Call = {}): Promise<Reply['body']> {
    const reply = await this.call(name, call)
    if (reply.status >= 400) throw new Error(`${name}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  /** Collects the live events of these topics until `stop`; with `lastEventId` first those that came after it. */
  async events(topics: string, lastEventId?: number): Promise<Heard> {
    const controller = new AbortController()
    const response = await fetch(`${this.url}api/events?topics=${topics}`, {
      signal: controller.signal,
      headers: lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
    })
    if (!response.ok || !response.body) throw new Error(`events answered ${response.status}`)
    const heard: Heard = { all: [], ids: [], comments: 0, stop: () => controller.abort() }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    const take = (text: string) => {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        if (block.startsWith(':')) heard.comments++
        const [, id, type, data] = /^(?:id: (\d+)\n)?event: (.*)\ndata: (.*)$/.exec(block) ?? []
        if (!type || !data) continue
        heard.all.push(JSON.parse(data))
        heard.ids.push(Number(id))
      }
    }
    const first = await reader.read()
    take(first.value ?? '')
    void (async () => {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) take(chunk.value)
    })().catch(() => {})
    return heard
  }
}

/** Waits until `look` gives something. */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  for (let waited = 0; ; waited += 30) {
    const found = await look()
    if (found) return found
    if (waited > 60_000) throw new Error('It did not happen within a minute.')
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
