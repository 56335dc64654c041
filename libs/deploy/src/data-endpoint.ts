/**
 * Values and blobs over HTTP, for agents and functions: values that are too large for a message, and the blobs of plans,
 * flows and bundles.
 *
 *     PUT    /v1/values/POOL/KEY            the body is the value, content-type its media type -> 201 {version, size}
 *     GET    /v1/values/POOL/KEY?version=N  the value
 *     DELETE /v1/values/POOL                every value of the pool -> 204
 *     GET    /v1/blobs/SHA256               the blob
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { type DataPort, MissingValueError, OCTETS, ValueError } from '@hivemind/values'
import { BlobError } from '@hivemind/values/node'

const MAX_VALUE_BYTES = 256 * 2 ** 20
const HOST = '127.0.0.1'
const MAX_TYPE_LENGTH = 256
const HASH = /^[0-9a-f]{64}$/

/** Blobs by hash, as far as the endpoint needs them. */
export interface BlobSource {
  has(hash: string): Promise<boolean>
  size(hash: string): Promise<number>
  get(hash: string): AsyncIterable<Uint8Array>
}

/** What somebody wants of the values of a pool. */
export type Access = 'read' | 'write' | 'drop'

/** Whether they may; `unknown` where that is not known yet, and is to be asked again. */
export type Permission = 'granted' | 'refused' | 'unknown'

/** What a data endpoint serves, and to whom. */
export interface DataEndpointOptions {
  data: DataPort
  blobs: BlobSource
  /** Whether a user has this password. */
  authenticate: (user: string, password: string) => boolean
  /** Whether a user may read, write or drop values of a pool; every user may everything when absent. */
  permission?: (user: string, pool: string, access: Access) => Permission
  /** Largest value in bytes; 256 MB when absent. */
  maxValueBytes?: number
  /** Takes over the connection of a request for an upgrade; none is possible when absent. */
  upgrade?: (request: IncomingMessage, socket: Socket) => void
  /** 0 or absent: any free port. */
  port?: number
}

/** A running data endpoint. */
export interface DataEndpoint {
  /** Base URL for clients on this machine. */
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/** What a request is refused with. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Starts a data endpoint, for this machine. Rejects when the port is taken. */
export async function startDataEndpoint(options: DataEndpointOptions): Promise<DataEndpoint> {
  const { port = 0 } = options
  const server = dataServer(options)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
  const bound = (server.address() as { port: number }).port
  return {
    url: `http://${HOST}:${bound}`,
    port: bound,
    close: () => closeServer(server),
  }
}

/** The endpoint as a server that does not listen: it is given its connections, or is made to. */
export function dataServer(options: DataEndpointOptions): Server {
  const server = createServer({ noDelay: true }, dataHandler(options))
  if (options.upgrade) server.on('upgrade', options.upgrade)
  return server
}

function dataHandler(options: DataEndpointOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    handle(options, request, response).catch((error: Error) => {
      if (response.headersSent) {
        response.destroy(error)
        return
      }
      const status = statusOf(error)
      response.writeHead(status, {
        'content-type': 'text/plain; charset=utf-8',
        ...(status === 401 ? { 'www-authenticate': 'Basic realm="hivemind"' } : {}),
        // what of a refused body is still to come is not read
        ...(request.readableEnded ? {} : { connection: 'close' }),
      })
      response.end(status === 500 ? 'The value could not be served.' : error.message)
    })
  }
}

function statusOf(error: Error): number {
  if (error instanceof Refusal) return error.status
  if (error instanceof MissingValueError) return 404
  if (error instanceof BlobError) return error.kind === 'missing' ? 404 : 500
  return error instanceof ValueError ? 400 : 500
}

async function handle(
  options: DataEndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const user = userOf(options, request)
  const url = new URL(request.url ?? '/', 'http://localhost')
  const [root, version, noun, ...names] = url.pathname.split('/')
  if (root !== '' || version !== 'v1') throw new Refusal(404, 'There is nothing here.')
  const [first, second, ...rest] = names.map(decode)
  if (noun === 'blobs' && first && second === undefined) return sendBlob(options, request, response, first)
  if (noun !== 'values' || !first || rest.length > 0) throw new Refusal(404, 'There is nothing here.')
  const may = (access: Access): void => {
    const permission = options.permission?.(user, first, access)
    if (permission === 'refused') throw new Refusal(403, `'${user}' may not ${access} values of '${first}'.`)
    if (permission === 'unknown')
      throw new Refusal(503, `Whether '${user}' may ${access} values of '${first}' is not known yet.`)
  }
  if (request.method === 'DELETE' && second === undefined) {
    may('drop')
    await options.data.drop(first)
    response.writeHead(204).end()
  } else if (request.method === 'PUT' && second) {
    may('write')
    await putValue(options, request, response, first, second)
  } else if (request.method === 'GET' && second) {
    may('read')
    await sendValue(options, url, response, first, second)
  } else throw new Refusal(405, `${request.method} is not possible here.`)
}

/** Who a request says that it comes from. Throws when that is nobody. */
export function userOf(
  { authenticate }: Pick<DataEndpointOptions, 'authenticate'>,
  request: IncomingMessage,
): string {
  const [scheme, encoded = ''] = (request.headers.authorization ?? '').split(' ')
  const [user = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':')
  if (scheme?.toLowerCase() !== 'basic' || !authenticate(user, password.join(':')))
    throw new Refusal(401, 'A user name and its password are needed.')
  return user
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw new Refusal(400, `'${name}' is not a valid name.`)
  }
}

async function putValue(
  { data, maxValueBytes = MAX_VALUE_BYTES }: DataEndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
  pool: string,
  key: string,
): Promise<void> {
  const type = request.headers['content-type'] ?? OCTETS
  if (type.length > MAX_TYPE_LENGTH) throw new Refusal(400, 'The media type is too long.')
  const tooLarge = new Refusal(413, `A value may have at most ${maxValueBytes} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > maxValueBytes) throw tooLarge
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > maxValueBytes) throw tooLarge
    chunks.push(chunk as Buffer)
  }
  const ref = await data.put(pool, key, { type, bytes: Buffer.concat(chunks, size) })
  response.writeHead(201, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ version: ref.version, size: ref.size }))
}

async function sendValue(
  { data }: DataEndpointOptions,
  url: URL,
  response: ServerResponse,
  pool: string,
  key: string,
): Promise<void> {
  const version = Number(url.searchParams.get('version') ?? '1')
  if (!Number.isSafeInteger(version) || version < 1)
    throw new Refusal(400, 'The version must be a number from 1.')
  const value = await data.get({ kind: 'stored', pool, key, version, size: 0, type: '' })
  response.writeHead(200, { 'content-type': value.type || OCTETS, 'content-length': value.bytes.length })
  response.end(value.bytes)
}

async function sendBlob(
  { blobs }: DataEndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
  hash: string,
): Promise<void> {
  if (request.method !== 'GET') throw new Refusal(405, `${request.method} is not possible here.`)
  if (!HASH.test(hash)) throw new Refusal(400, 'A blob is named by its sha-256 in hexadecimal.')
  if (!(await blobs.has(hash))) throw new Refusal(404, `There is no blob ${hash}.`)
  response.writeHead(200, { 'content-type': OCTETS, 'content-length': await blobs.size(hash) })
  await pipeline(blobs.get(hash), response)
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
