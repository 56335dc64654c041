/** A Thrift server for one service of an IDL model: framed transport and binary protocol over TCP. */
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { Reader } from './buffer.ts'
import {
  beginMessage,
  faultFrame,
  MESSAGE,
  type MessageHeader,
  readFields,
  readHeader,
  resultFields,
  type Schema,
  SUCCESS,
  schemaOf,
  writeFields,
} from './codec.ts'
import { APPLICATION_ERROR, RpcError, RpcException, TApplicationException } from './errors.ts'
import { FrameReader, MAX_FRAME_BYTES } from './framing.ts'
import type { IdlFunction, IdlModel } from './idl.ts'

/** What a handler knows of the call that it serves. */
export interface CallContext {
  /** `host:port` of the caller. */
  peer: string
  /** Aborted when the caller's connection ends, so that nobody waits for the answer. */
  signal: AbortSignal
}

/** Handles calls of one function. Throw an `RpcException` to raise a declared exception. */
export type RpcHandler = (args: Record<string, unknown>, call: CallContext) => unknown

/** Address and limits of a server. */
export interface ServerOptions {
  /** Loopback unless told otherwise. */
  host?: string
  /** 0 picks a free port. */
  port?: number
  maxFrameBytes?: number
  /** Time after which a caller with an unfinished frame is disconnected, in ms. */
  frameTimeoutMs?: number
  /** Maximum number of concurrent calls of one connection; it is not read while it has as many (back-pressure). */
  maxInFlight?: number
  /** Called with faults of a connection (invalid bytes, an oversize frame, a reset) and with undeclared errors of handlers. */
  onError?: (error: Error, where: string) => void
}

/** A Thrift server that is listening, at `host` and `port`. */
export interface RpcServer {
  host: string
  port: number
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

interface Service {
  schema: Schema
  handlers: Record<string, RpcHandler>
  options: Required<Omit<ServerOptions, 'host' | 'port'>>
}

/**
 * Starts a server for `serviceName` of the model. Needs a handler for every function of the service and no others.
 * Resolves when it listens; rejects (with the system's error) when it cannot.
 */
export async function createServer(
  model: IdlModel,
  serviceName: string,
  handlers: Record<string, RpcHandler>,
  options: ServerOptions = {},
): Promise<RpcServer> {
  const schema = schemaOf(model, serviceName)
  const missing = [...schema.functions.keys()].filter((name) => !Object.hasOwn(handlers, name))
  const unknown = Object.keys(handlers).filter((name) => !schema.functions.has(name))
  if (missing.length > 0) throw new Error(`${serviceName} lacks a handler for: ${missing.join(', ')}.`)
  if (unknown.length > 0) throw new Error(`${serviceName} has no such function: ${unknown.join(', ')}.`)
  const service: Service = {
    schema,
    handlers,
    options: {
      maxFrameBytes: options.maxFrameBytes ?? MAX_FRAME_BYTES,
      frameTimeoutMs: options.frameTimeoutMs ?? 30_000,
      maxInFlight: options.maxInFlight ?? 256,
      onError: options.onError ?? (() => {}),
    },
  }
  const connections = new Set<Socket>()
  const server = createTcpServer({ noDelay: true, keepAlive: true }, (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    serve(socket, service)
  })
  const host = options.host ?? '127.0.0.1'
  await listen(server, host, options.port ?? 0)
  server.on('error', (error) => service.options.onError(error, 'listener'))
  const address = server.address()
  return {
    host,
    port: typeof address === 'object' && address ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of connections) socket.destroy()
      }),
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function serve(socket: Socket, service: Service): void {
  const { maxFrameBytes, frameTimeoutMs, maxInFlight, onError } = service.options
  const peer = `${socket.remoteAddress}:${socket.remotePort}`
  const frames = new FrameReader(maxFrameBytes)
  const ended = new AbortController()
  let inFlight = 0
  let stalled: NodeJS.Timeout | undefined

  const refuse = (error: Error) => {
    onError(error, peer)
    clearTimeout(stalled)
    socket.off('data', onData)
    socket.resume()
    socket.end(faultFrame('', 0, APPLICATION_ERROR.protocolError, error.message))
    setTimeout(() => socket.destroy(), 500).unref()
  }
  const steer = () => {
    if (inFlight >= maxInFlight || socket.writableNeedDrain) socket.pause()
    else socket.resume()
  }
  const onData = (chunk: Buffer) => {
    clearTimeout(stalled)
    try {
      for (const frame of frames.push(chunk)) {
        inFlight++
        void answer(new Reader(frame), service, { peer, signal: ended.signal })
          .then((reply) => {
            if (reply && !socket.destroyed && socket.writable) socket.write(reply)
          }, refuse)
          .finally(() => {
            inFlight--
            steer()
          })
      }
    } catch (error) {
      return refuse(error as Error)
    }
    if (frames.partial)
      stalled = setTimeout(
        () => refuse(new RpcError('frame', `A frame was left unfinished for ${frameTimeoutMs} ms.`)),
        frameTimeoutMs,
      )
    steer()
  }
  socket.on('data', onData)
  socket.on('drain', steer)
  socket.on('error', (error) => onError(error, peer))
  socket.on('close', () => {
    clearTimeout(stalled)
    ended.abort()
  })
}

/** Handles one message; resolves with the frame to answer, or with nothing for a oneway call. Rejects when the bytes are no message. */
async function answer(reader: Reader, service: Service, call: CallContext): Promise<Buffer | null> {
  const head = readHeader(reader)
  if (head.type !== MESSAGE.call && head.type !== MESSAGE.oneway)
    return fault(head, APPLICATION_ERROR.invalidMessageType, `A message of type ${head.type} is no call.`)
  const fn = service.schema.functions.get(head.name)
  const handler = service.handlers[head.name]
  if (!fn || !handler)
    return fault(head, APPLICATION_ERROR.unknownMethod, `There is no function '${head.name}'.`)
  let args: Record<string, unknown>
  try {
    args = readFields(reader, service.schema, fn.params, head.name)
  } catch (error) {
    return fault(head, APPLICATION_ERROR.protocolError, (error as Error).message)
  }
  try {
    const result = await handler(args, call)
    return fn.oneway ? null : reply(head, service, fn, { [SUCCESS]: result })
  } catch (error) {
    if (fn.oneway) {
      service.options.onError(error as Error, head.name)
      return null
    }
    return raised(head, service, fn, error)
  }
}

function reply(
  head: MessageHeader,
  service: Service,
  fn: IdlFunction,
  values: Record<string, unknown>,
): Buffer {
  if (fn.returns && values[SUCCESS] === undefined && Object.keys(values).length < 2)
    throw new Error(`The handler of '${fn.name}' returned nothing.`)
  const writer = beginMessage({ name: head.name, type: MESSAGE.reply, seqid: head.seqid })
  writeFields(writer, service.schema, resultFields(fn), values, fn.name)
  const frame = writer.frame()
  const { maxFrameBytes } = service.options
  if (frame.length - 4 > maxFrameBytes)
    throw new Error(
      `The answer of '${fn.name}' takes ${frame.length - 4} bytes, over the limit of ${maxFrameBytes}.`,
    )
  return frame
}

function raised(head: MessageHeader, service: Service, fn: IdlFunction, error: unknown): Buffer | null {
  if (error instanceof RpcException) {
    const field = fn.throws.find(
      ({ type }) => typeof type === 'object' && 'struct' in type && type.struct === error.type,
    )
    if (field)
      try {
        return reply(head, service, { ...fn, returns: null }, { [field.name]: error.fields })
      } catch (mismatch) {
        return fault(head, APPLICATION_ERROR.internalError, (mismatch as Error).message)
      }
  }
  if (error instanceof TApplicationException) return fault(head, error.code, error.message)
  const thrown = error instanceof Error ? error : new Error(String(error))
  service.options.onError(thrown, head.name)
  return fault(head, APPLICATION_ERROR.internalError, thrown.message)
}

function fault(head: MessageHeader, code: number, message: string): Buffer | null {
  return head.type === MESSAGE.oneway ? null : faultFrame(head.name, head.seqid, code, message)
}
