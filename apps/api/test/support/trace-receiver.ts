/** Takes traces as a collector does (OTLP over HTTP), and reads them by OpenTelemetry's own definitions. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** As `npm test` installs it from `traces/requirements.txt`. */
const python = fileURLToPath(new URL('../../../../.cache/python-opentelemetry/bin/python', import.meta.url))
const decode = fileURLToPath(new URL('../traces/decode.py', import.meta.url))

/** A span as OpenTelemetry's definitions read it; times in ms since 1970. */
export interface ReadSpan {
  trace: string
  id: string
  parent: string
  name: string
  kind: number
  start: number
  end: number
  /** 2: failed. */
  status: number
  message: string
  events: string[]
  attributes: Record<string, string | number | boolean>
  resource: Record<string, string | number | boolean>
}

/** Whether OTLP can be read by its definitions here. */
export const canDecode = existsSync(python)

/**
 * Reads OTLP requests, each a line of JSON. Throws when one is not as the definitions have it.
 * @param traceparents where spans of OpenTelemetry's SDK are started as well; they come last
 */
export function decodeSpans(requests: readonly string[], traceparents: readonly string[] = []): ReadSpan[] {
  const input = requests.map((request) => request.trim()).join('\n')
  const { status, stdout, stderr } = spawnSync(python, [decode, ...traceparents], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`${path.basename(decode)} failed: ${stderr}`)
  return JSON.parse(stdout) as ReadSpan[]
}

export class TraceReceiver {
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` is to be. */
  readonly url: string
  /** Bodies of the requests that were taken. */
  readonly bodies: string[] = []
  readonly headers: IncomingHttpHeaders[] = []
  readonly paths: string[] = []
  /** How a request is answered; taken when absent. */
  answer: ((response: ServerResponse) => void) | undefined
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        this.paths.push(`${request.method} ${request.url}`)
        if (this.answer) return this.answer(response)
        this.bodies.push(Buffer.concat(chunks).toString())
        this.headers.push(request.headers)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      })
    })
  }

  static async start(port = 0): Promise<TraceReceiver> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return new TraceReceiver(server)
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve).closeAllConnections())
  }
}
