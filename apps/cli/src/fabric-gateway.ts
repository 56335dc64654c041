/** Calls of functions on a fabric over HTTP: for programs that speak no other protocol (Speedo, section 3). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type FabricCaller, FabricError, SlowPathError } from '@hivemind/fabric'

const NO_WORKER = 3
const MOST_BYTES = 1024

/** Answers `POST /functions/NAME` with what the function answers to the body. */
export async function openGateway(caller: FabricCaller, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    answer(caller, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return server
}

async function answer(
  caller: FabricCaller,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = /^\/functions\/([^/?]+)$/.exec(request.url ?? '')?.[1]
  if (name === undefined) return problem(response, 404, 'There is only POST /functions/NAME.')
  if (request.method !== 'POST') return problem(response, 405, 'Functions are called with POST.')
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length <= MOST_BYTES) parts.push(part)
  }
  if (length > MOST_BYTES)
    return problem(response, 413, `A payload has at most ${MOST_BYTES} bytes, not ${length}.`)
  try {
    const result = await caller.call(decodeURIComponent(name), Buffer.concat(parts))
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(result)
  } catch (error) {
    const status = statusOf(error)
    if (status === undefined) throw error
    problem(response, status, (error as Error).message)
  }
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof URIError) return 400
  if (error instanceof SlowPathError) return error.reason === NO_WORKER ? 404 : 503
  return error instanceof FabricError ? 504 : undefined
}

function problem(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${message}\n`)
}
