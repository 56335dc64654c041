/** A Thrift client for one service of an IDL model, with any number of concurrent calls on one connection. */
import { connect, type Socket } from 'node:net'
import { Reader } from './buffer.ts'
import {
  beginMessage,
  FRAME_HEADER_BYTES,
  MESSAGE,
  readFault,
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

/** Address and limits of a client. `maxFrameBytes` defaults to 16,384,000, as in Thrift. */
export interface ClientOptions {
  host: string
  port: number
  /** Default 5 s. */
  connectTimeoutMs?: number
  /** Time limit of a call from its start to its answer; default 30 s, 0 for none. */
  timeoutMs?: number
  maxFrameBytes?: number
}

/** Limits of one call: `timeoutMs` overrides that of the client, and `signal` cancels the call. */
export interface CallOptions {
  timeoutMs?: number
  signal?: AbortSignal
}

/** A connection to a Thrift service. Calls may overlap; each is answered by its own result. */
export interface RpcClient {
  /** Resolves when connected; rejects when the connection fails. Calls may be made before. */
  connected(): Promise<void>
  /**
   * Calls a function of the service. Rejects with `RpcException` (declared), `TApplicationException` (undeclared),
   * or `RpcError` (no connection, time limit, an argument that does not fit).
   */
  call(fn: string, args?: Record<string, unknown>, options?: CallOptions): Promise<unknown>
  /** Calls `listener` once when the connection ends, with the cause unless it was `close`. */
  onClose(listener: (error?: RpcError) => void): void
  readonly closed: boolean
  close(): void
}

interface Pending {
  fn: IdlFunction
  resolve(value: unknown): void
  reject(error: Error): void
}

/** Opens a connection and returns at once. A client that lost its connection stays closed: create another. */
export function createClient(model: IdlModel, serviceName: string, options: ClientOptions): RpcClient {
  const client = new Connection(schemaOf(model, serviceName), serviceName, options)
  return client
}

class Connection implements RpcClient {
  readonly #schema: Schema
  readonly #service: string
  readonly #peer: string
  readonly #timeoutMs: number
  readonly #maxFrameBytes: number
  readonly #socket: Socket
  readonly #frames: FrameReader
  readonly #pending = new Map<number, Pending>()
  readonly #listeners: ((error?: RpcError) => void)[] = []
  readonly #connected: Promise<void>
  #nextId = 1
  #end: { error?: RpcError } | null = null

  constructor(schema: Schema, service: string, options: ClientOptions) {
    this.#schema = schema
    this.#service = service
    this.#peer = `${options.host}:${options.port}`
    this.#timeoutMs = options.timeoutMs ?? 30_000
    this.#maxFrameBytes = options.maxFrameBytes ?? MAX_FRAME_BYTES
    this.#frames = new FrameReader(this.#maxFrameBytes)
    this.#socket = connect({ host: options.host, port: options.port, noDelay: true, keepAlive: true })
    this.#connected = this.#establish(options.connectTimeoutMs ?? 5_000)
    this.#connected.catch(() => {})
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.#socket.on('close', () =>
      this.#finish(new RpcError('closed', `${this.#service} at ${this.#peer} closed the connection.`)),
    )
  }

  #establish(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let standing = false
      const fail = (error: RpcError) => {
        clearTimeout(timer)
        this.#finish(error)
        reject(this.#end?.error ?? error)
      }
      const timer = setTimeout(
        () =>
          fail(
            new RpcError(
              'connect',
              `${this.#service} at ${this.#peer} did not answer within ${timeoutMs} ms.`,
            ),
          ),
        timeoutMs,
      )
      this.#socket.once('connect', () => {
        standing = true
        clearTimeout(timer)
        resolve()
      })
      this.#socket.on('error', (error: NodeJS.ErrnoException) => {
        const why = error.code ?? error.message
        fail(
          standing
            ? new RpcError('closed', `The connection to ${this.#service} at ${this.#peer} broke (${why}).`)
            : new RpcError('connect', `${this.#service} at ${this.#peer} cannot be reached (${why}).`),
        )
      })
      this.#socket.once('close', () => {
        if (!standing)
          fail(
            new RpcError('connect', `${this.#service} at ${this.#peer} was closed before it was connected.`),
          )
      })
    })
  }

  get closed(): boolean {
    return this.#end !== null
  }

  connected(): Promise<void> {
    return this.#connected
  }

  onClose(listener: (error?: RpcError) => void): void {
    const { error } = this.#end ?? {}
    if (this.#end) queueMicrotask(() => listener(error))
    else this.#listeners.push(listener)
  }

  close(): void {
    this.#finish()
  }

  async call(name: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<unknown> {
    const fn = this.#schema.functions.get(name)
    if (!fn) throw new RpcError('value', `${this.#service} has no function '${name}'.`)
    if (this.#end)
      throw this.#end.error ?? new RpcError('closed', `The client of ${this.#service} is closed.`)
    if (options.signal?.aborted) throw new RpcError('cancelled', `${this.#service}.${name} was cancelled.`)
    const seqid = this.#id()
    const writer = beginMessage({ name, type: fn.oneway ? MESSAGE.oneway : MESSAGE.call, seqid })
    writeFields(writer, this.#schema, fn.params, args, name)
    const frame = writer.frame()
    if (frame.length - FRAME_HEADER_BYTES > this.#maxFrameBytes)
      throw new RpcError(
        'frame',
        `The arguments of ${this.#service}.${name} take ${frame.length - FRAME_HEADER_BYTES} bytes, over the limit of ${this.#maxFrameBytes}.`,
      )
    if (fn.oneway) return this.#write(frame)
    return this.#exchange(fn, seqid, frame, options)
  }

  #id(): number {
    do this.#nextId = this.#nextId >= 0x7fffffff ? 1 : this.#nextId + 1
    while (this.#pending.has(this.#nextId))
    return this.#nextId
  }

  #write(frame: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(frame, (error) =>
        error ? reject(this.#end?.error ?? new RpcError('closed', error.message)) : resolve(),
      )
    })
  }

  #exchange(fn: IdlFunction, seqid: number, frame: Buffer, options: CallOptions): Promise<unknown> {
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs
    return new Promise((resolve, reject) => {
      const what = `${this.#service}.${fn.name}`
      const settle = () => {
        clearTimeout(timer)
        options.signal?.removeEventListener('abort', cancel)
        this.#pending.delete(seqid)
      }
      const pending: Pending = {
        fn,
        resolve: (value) => {
          settle()
          resolve(value)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      }
      const cancel = () => pending.reject(new RpcError('cancelled', `${what} was cancelled.`))
      const timer =
        timeoutMs > 0
          ? setTimeout(
              () =>
                pending.reject(
                  new RpcError('timeout', `${what} at ${this.#peer} did not answer within ${timeoutMs} ms.`),
                ),
              timeoutMs,
            )
          : undefined
      options.signal?.addEventListener('abort', cancel, { once: true })
      this.#pending.set(seqid, pending)
      this.#socket.write(frame)
    })
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.push(chunk)) this.#settle(new Reader(frame))
    } catch (error) {
      const { kind, message } = error as RpcError
      this.#finish(
        new RpcError(
          kind ?? 'protocol',
          `${this.#service} at ${this.#peer} sent what is no answer: ${message}`,
        ),
      )
    }
  }

  #settle(reader: Reader): void {
    if (this.#end) return
    const head = readHeader(reader)
    const pending = this.#pending.get(head.seqid)
    if (head.type === MESSAGE.exception) {
      const fault = readFault(reader)
      if (pending) pending.reject(fault)
      else if (head.seqid === 0)
        this.#finish(
          new RpcError(
            'protocol',
            `${this.#service} at ${this.#peer} ended the connection: ${fault.message}`,
          ),
        )
      return
    }
    if (!pending) return // an answer that came after its time limit
    if (head.type !== MESSAGE.reply || head.name !== pending.fn.name)
      return pending.reject(
        new RpcError(
          'protocol',
          `The answer to ${this.#service}.${pending.fn.name} is a message '${head.name}' of type ${head.type}.`,
        ),
      )
    try {
      const values = readFields(reader, this.#schema, resultFields(pending.fn), pending.fn.name)
      this.#resolve(pending, values)
    } catch (error) {
      pending.reject(error as Error)
    }
  }

  #resolve(pending: Pending, values: Record<string, unknown>): void {
    for (const { name, type } of pending.fn.throws)
      if (Object.hasOwn(values, name) && typeof type === 'object' && 'struct' in type)
        return pending.reject(new RpcException(type.struct, values[name] as Record<string, unknown>))
    if (!pending.fn.returns) return pending.resolve(undefined)
    if (Object.hasOwn(values, SUCCESS)) return pending.resolve(values[SUCCESS])
    pending.reject(
      new TApplicationException(
        APPLICATION_ERROR.missingResult,
        `${this.#service}.${pending.fn.name} answered without a result.`,
      ),
    )
  }

  /** Ends the connection and every pending call; further calls do nothing. */
  #finish(error?: RpcError): void {
    if (this.#end) return
    this.#end = error ? { error } : {}
    this.#socket.destroy()
    const cause = error ?? new RpcError('closed', `The client of ${this.#service} was closed.`)
    for (const pending of [...this.#pending.values()]) pending.reject(cause)
    for (const listener of this.#listeners) listener(error)
  }
}
