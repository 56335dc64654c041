/** What a connection is told whose bytes are no request. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import { Problem } from './problem.ts'

/** For the address and all headers of a request, in bytes: the longest position in topics, encoded as an address is. */
export const MAX_HEADERS_BYTES = 65_536

const PROBLEMS: Record<string, Problem> = {
  HPE_HEADER_OVERFLOW: new Problem(
    431,
    `The address and the headers of a request are at most ${MAX_HEADERS_BYTES} bytes.`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem(408, 'The request did not come to its end in time.'),
}
const NOT_HTTP = new Problem(400, 'This is not a request that HTTP knows.')

/** Answers with a problem, and closes the connection. */
export function answerUnreadable(error: ConnectionError, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const problem = PROBLEMS[error.code] ?? NOT_HTTP
  const body = JSON.stringify(problem)
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
