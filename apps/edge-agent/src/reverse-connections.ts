/**
 * Lets the service in to a function of this device, which nobody outside of it reaches: the device dials the service and holds connections
 * ready, of which each becomes one to the function's host as soon as the service sends something on it.
 */
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream'

/** Connections that are held ready. */
const SPARE = 2
const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 5_000
/** Time until the service has answered, in ms. */
const ANSWER_LIMIT_MS = 10_000
/** What tells the two sides, and what is between them, that nobody is there any more, in ms. */
const KEEP_ALIVE_MS = 15_000

export interface ReverseConnectionsOptions {
  /** Base URL of the service's data endpoint. */
  service: string
  user: string
  password: string
  /** Id of the function. */
  id: string
  /** URL of its host on this device; waits while that restarts. */
  target: () => Promise<string>
  /** Told once when connections fail, and once when they do not any more. */
  onLine: (text: string) => void
}

/** Connections for one function, held until they are closed. */
export class ReverseConnections {
  readonly #options: ReverseConnectionsOptions
  readonly #idle = new Set<Socket>()
  readonly #closing = new AbortController()
  #failing = false
  #failures = 0

  constructor(options: ReverseConnectionsOptions) {
    this.#options = options
    for (let count = 0; count < SPARE; count += 1) this.#dial()
  }

  /** Holds no more connections; those that the service uses go on until either side ends them. */
  close(): void {
    this.#closing.abort()
    for (const socket of this.#idle) socket.destroy()
  }

  #dial(): void {
    const { service, user, password, id } = this.#options
    const { signal } = this.#closing
    if (signal.aborted) return
    const url = new URL(`/v1/functions/${id}`, service)
    const request = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, {
      auth: `${user}:${password}`,
      headers: { connection: 'Upgrade', upgrade: 'hivemind-function' },
      timeout: ANSWER_LIMIT_MS,
      signal,
    })
    request.once('timeout', () => request.destroy(new Error('it does not answer')))
    request.once('error', (error) => this.#again(error.message))
    request.once('response', (response) => {
      response.resume()
      request.destroy()
      this.#again(`it refuses them (${response.statusCode})`)
    })
    request.once('upgrade', (_response, socket, head) => {
      // a call that waited for the connection comes right behind the answer
      if (head.length > 0) socket.unshift(head)
      this.#hold(socket as Socket)
    })
    request.end()
  }

  #again(why: string): void {
    const { signal } = this.#closing
    if (signal.aborted) return
    if (!this.#failing) this.#options.onLine(`no connections to the service: ${why}`)
    this.#failing = true
    const wait = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures)
    this.#failures = Math.min(this.#failures + 1, 10)
    setTimeout(() => this.#dial(), wait * (1 + Math.random() / 2)).unref()
  }

  #hold(socket: Socket): void {
    if (this.#failing) this.#options.onLine('connections to the service are there again')
    this.#failing = false
    this.#failures = 0
    socket.setTimeout(0)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    if (this.#closing.signal.aborted) {
      socket.destroy()
      return
    }
    this.#idle.add(socket)
    const next = (): void => {
      this.#idle.delete(socket)
      this.#dial()
    }
    const end = (): void => void socket.destroy()
    socket.once('close', next)
    socket.once('end', end)
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.off('close', next)
      socket.off('end', end)
      socket.unshift(first)
      next()
      void this.#join(socket)
    })
  }

  async #join(socket: Socket): Promise<void> {
    try {
      const { hostname, port } = new URL(await this.#options.target())
      const host = connect({ host: hostname, port: Number(port), noDelay: true })
      pipeline(socket, host, () => {})
      pipeline(host, socket, () => {})
    } catch {
      // the service sees that nobody answers, and what state the function is in
      socket.destroy()
    }
  }
}
