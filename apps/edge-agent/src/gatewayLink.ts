/**
 * The agent's way to the cloud: calls in order, all in flight on one connection. When it breaks, the link connects
 * again with growing pauses and repeats what was not answered, in the same order; the engine counts repetitions once.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createClient, type IdlModel, type RpcClient, RpcError } from '@hivemind/rpc'

/** Pauses between attempts to connect: doubled each time, with up to a half at random added. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000
/** Calls that wait for an answer at once; the rest waits here. */
const WINDOW = 64

interface Call {
  fn: string
  args: Record<string, unknown>
  sent: boolean
  resolve: () => void
  reject: (error: Error) => void
}

export interface LinkOptions {
  model: IdlModel
  service: string
  host: string
  port: number
  /** The link gives up after so many ms without a connection. */
  giveUpMs: number
  /** Told when it connects, before anything else is sent; what it returns goes first. */
  onConnect: () => { fn: string; args: Record<string, unknown> }
  onState: (state: 'connecting' | 'connected' | 'gone') => void
}

export class GatewayLink {
  readonly #options: LinkOptions
  readonly #queue: Call[] = []
  #client: RpcClient | undefined
  #ended = false

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** Connects, and stays connected until `close`; resolves when connected for the first time. */
  async open(): Promise<void> {
    await this.#connect()
  }

  /** Calls the gateway after all calls made before; resolves when it has answered. */
  call(fn: string, args: Record<string, unknown>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(new Error('The link to the gateway is closed.'))
        return
      }
      this.#queue.push({ fn, args, sent: false, resolve, reject })
      this.#pump()
    })
  }

  /** Says something that need not arrive: dropped when there is no connection. */
  mention(fn: string, args: Record<string, unknown>): void {
    this.#client?.call(fn, args).catch(() => {})
  }

  close(): void {
    this.#ended = true
    this.#client?.close()
    for (const call of this.#queue.splice(0)) call.reject(new Error('The link to the gateway is closed.'))
  }

  async #connect(): Promise<void> {
    const { model, service, host, port, giveUpMs, onConnect, onState } = this.#options
    const since = performance.now()
    onState('connecting')
    for (let wait = FIRST_PAUSE_MS; !this.#ended; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      const client = createClient(model, service, { host, port, timeoutMs: 0 })
      try {
        await client.connected()
        const first = onConnect()
        await client.call(first.fn, first.args)
        this.#client = client
        client.onClose(() => this.#broke())
        onState('connected')
        this.#pump()
        return
      } catch {
        client.close()
        if (performance.now() - since > giveUpMs) break
        await pause(wait * (1 + Math.random() / 2))
      }
    }
    if (this.#ended) return
    this.close()
    onState('gone')
  }

  #broke(): void {
    this.#client = undefined
    for (const call of this.#queue) call.sent = false
    if (!this.#ended) void this.#connect()
  }

  #pump(): void {
    const client = this.#client
    if (!client) return
    for (const call of this.#queue.slice(0, WINDOW)) {
      if (call.sent) continue
      call.sent = true
      client.call(call.fn, call.args).then(
        () => this.#answered(call),
        (error: Error) => {
          // A broken connection is mended and the call repeated; anything else is final.
          const broken = error instanceof RpcError && (error.kind === 'closed' || error.kind === 'connect')
          if (!broken || this.#ended) this.#answered(call, error)
        },
      )
    }
  }

  #answered(call: Call, error?: Error): void {
    const at = this.#queue.indexOf(call)
    if (at < 0) return
    this.#queue.splice(at, 1)
    if (error) call.reject(error)
    else call.resolve()
    this.#pump()
  }
}
