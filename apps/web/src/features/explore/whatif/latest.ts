/** Asking a worker while the question keeps changing. */

/** What of a Worker is used. */
export interface Port<Request> {
  postMessage(request: Request): void
  terminate(): void
  onmessage: ((event: MessageEvent) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}

/** What a worker sends: any number of progress reports, then an answer or a failure. */
export type Reply<Answer> =
  | { type: 'progress'; fraction: number }
  | { type: 'answer'; answer: Answer }
  | { type: 'failed'; message: string }

export interface Hearing<Answer> {
  onAnswer: (answer: Answer) => void
  onFailure: (message: string) => void
  onProgress?: (fraction: number) => void
}

/**
 * Holds one worker. While it works on one question only the newest further one is kept, so questions that come faster
 * than answers are skipped. `cancel` ends the worker at once, whatever it is doing; the next question gets a new one.
 */
export class LatestWorker<Request, Answer> {
  readonly #open: () => Port<Request>
  #port: Port<Request> | undefined
  #current: Hearing<Answer> | undefined
  #next: { request: Request; hearing: Hearing<Answer> } | undefined

  constructor(open: () => Port<Request>) {
    this.#open = open
  }

  get busy(): boolean {
    return this.#current !== undefined
  }

  /** Asks; a question that still waits is dropped unheard. */
  ask(request: Request, hearing: Hearing<Answer>): void {
    if (this.#current) this.#next = { request, hearing }
    else this.#post(request, hearing)
  }

  /** Ends what is going on, and asks this instead. */
  askInstead(request: Request, hearing: Hearing<Answer>): void {
    this.cancel()
    this.ask(request, hearing)
  }

  /** Nothing asked before is answered any more. */
  cancel(): void {
    this.#next = undefined
    if (!this.#current) return
    this.#current = undefined
    this.close()
  }

  close(): void {
    this.#next = undefined
    this.#current = undefined
    if (!this.#port) return
    this.#port.onmessage = null
    this.#port.onerror = null
    this.#port.terminate()
    this.#port = undefined
  }

  #post(request: Request, hearing: Hearing<Answer>): void {
    this.#port ??= this.#opened()
    this.#current = hearing
    this.#port.postMessage(request)
  }

  #opened(): Port<Request> {
    const port = this.#open()
    port.onmessage = ({ data }) => this.#hear(data as Reply<Answer>)
    port.onerror = (event) => {
      event.preventDefault()
      const hearing = this.#current
      this.close()
      hearing?.onFailure(event.message || 'The worker could not be started.')
    }
    return port
  }

  #hear(reply: Reply<Answer>): void {
    const hearing = this.#current
    if (!hearing) return
    if (reply.type === 'progress') return hearing.onProgress?.(reply.fraction)
    this.#current = undefined
    const next = this.#next
    this.#next = undefined
    if (next) this.#post(next.request, next.hearing)
    if (reply.type === 'answer') hearing.onAnswer(reply.answer)
    else hearing.onFailure(reply.message)
  }
}
