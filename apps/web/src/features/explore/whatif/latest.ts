/** Requests to a worker that change faster than it answers. */

/** The part of `Worker` that is used. */
export interface Port<Request> {
  postMessage(request: Request): void
  terminate(): void
  onmessage: ((event: MessageEvent) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}

/** Messages of a worker: any number of progress reports, then an answer or a failure. */
export type Reply<Answer> =
  | { type: 'progress'; fraction: number }
  | { type: 'answer'; answer: Answer }
  | { type: 'failed'; message: string }

/** Callbacks of one request. */
export interface Listener<Answer> {
  onAnswer: (answer: Answer) => void
  onFailure: (message: string) => void
  onProgress?: (fraction: number) => void
}

/**
 * Owns one worker. While it is busy, only the latest pending request is kept, so that requests that arrive faster than
 * answers are skipped. `cancel` terminates the worker; the next request starts a new one.
 */
export class LatestWorker<Request, Answer> {
  readonly #open: () => Port<Request>
  #port: Port<Request> | undefined
  #current: Listener<Answer> | undefined
  #next: { request: Request; listener: Listener<Answer> } | undefined

  constructor(open: () => Port<Request>) {
    this.#open = open
  }

  get busy(): boolean {
    return this.#current !== undefined
  }

  /** Sends a request, after the current one. Drops a pending one, without calling its listener. */
  ask(request: Request, listener: Listener<Answer>): void {
    if (this.#current) this.#next = { request, listener }
    else this.#post(request, listener)
  }

  /** Cancels the current and the pending request, then sends this one. */
  askInstead(request: Request, listener: Listener<Answer>): void {
    this.cancel()
    this.ask(request, listener)
  }

  /** Cancels the current and the pending request, without calling their listeners. */
  cancel(): void {
    this.#next = undefined
    if (!this.#current) return
    this.#current = undefined
    this.close()
  }

  /** Terminates the worker, without calling any listener. */
  close(): void {
    this.#next = undefined
    this.#current = undefined
    if (!this.#port) return
    this.#port.onmessage = null
    this.#port.onerror = null
    this.#port.terminate()
    this.#port = undefined
  }

  #post(request: Request, listener: Listener<Answer>): void {
    this.#port ??= this.#openPort()
    this.#current = listener
    this.#port.postMessage(request)
  }

  #openPort(): Port<Request> {
    const port = this.#open()
    port.onmessage = ({ data }) => this.#receive(data as Reply<Answer>)
    port.onerror = (event) => {
      event.preventDefault()
      const listener = this.#current
      this.close()
      listener?.onFailure(event.message || 'The worker could not be started.')
    }
    return port
  }

  #receive(reply: Reply<Answer>): void {
    const listener = this.#current
    if (!listener) return
    if (reply.type === 'progress') return listener.onProgress?.(reply.fraction)
    this.#current = undefined
    const next = this.#next
    this.#next = undefined
    if (next) this.#post(next.request, next.listener)
    if (reply.type === 'answer') listener.onAnswer(reply.answer)
    else listener.onFailure(reply.message)
  }
}
