/** One connection: requests and their answers in both directions, and frames without an answer. */
import { codeOf, errorOf, UnreachableError } from './errors.ts'
import { type Frame, type Header, NO_BODY } from './frame.ts'
import type { Wire } from './wire.ts'

/** What a request is answered with. */
export interface Answer {
  fields?: Record<string, unknown>
  body?: Buffer
}

/** Carries out the frames that the other side sends. Throws or rejects to refuse. */
export type Handler = (frame: Frame, session: Session) => Answer | Promise<Answer> | undefined

/** A connection that is open. */
export class Session {
  readonly #wire: Wire
  readonly #handler: Handler
  readonly #pending = new Map<number, { resolve: (frame: Frame) => void; reject: (error: Error) => void }>()
  #lastId = 0
  /** Resolves when the connection is closed, by either side. */
  readonly closed: Promise<void>
  /** Who is on the other side, once it has said so. */
  peer = ''

  constructor(wire: Wire, handler: Handler) {
    this.#wire = wire
    this.#handler = handler
    this.closed = new Promise((resolve) =>
      wire.listen({
        frame: (frame) => this.#receive(frame),
        unreadable: ({ message }) => {
          this.send({ type: 'refused', message })
          wire.end()
        },
        closed: () => {
          for (const { reject } of this.#pending.values())
            reject(new UnreachableError('The connection was lost before the answer came.'))
          this.#pending.clear()
          resolve()
        },
      }),
    )
  }

  get isOpen(): boolean {
    return this.#wire.isOpen
  }

  /** Whether more is waiting to be sent than the connection takes now. `onDrain` runs when that is over. */
  get isCongested(): boolean {
    return this.#wire.isCongested
  }

  onDrain(action: () => void): void {
    this.#wire.onDrain(action)
  }

  /** Sends a frame that has no answer. */
  send(header: Header, body: Buffer = NO_BODY): void {
    this.#wire.send(header, body)
  }

  /** Sends a request. Rejects with `ExchangeError` when it is refused, and with `UnreachableError` when the connection is lost. */
  request(header: Header, body?: Buffer): Promise<Frame> {
    if (!this.#wire.isOpen)
      return Promise.reject(new UnreachableError('The connection was lost before the answer came.'))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.send({ ...header, id }, body)
    })
  }

  close(): void {
    this.#wire.close()
  }

  #receive(frame: Frame): void {
    const { type, id = 0 } = frame.header
    if (type === 'answer' || type === 'refused') {
      const pending = this.#pending.get(id)
      this.#pending.delete(id)
      if (type === 'answer') pending?.resolve(frame)
      else pending?.reject(errorOf(String(frame.header.message), frame.header.code))
      return
    }
    const answer = ({ fields, body }: Answer = {}) => {
      if (id) this.send({ ...fields, type: 'answer', id }, body)
    }
    const refuse = (error: Error) =>
      this.send({ type: 'refused', id, message: error.message, code: codeOf(error) })
    try {
      const result = this.#handler(frame, this)
      if (result instanceof Promise) result.then(answer, refuse)
      else answer(result)
    } catch (error) {
      refuse(error as Error)
    }
  }
}
