/** The messages of a topic as the edge node sends them, without being asked for each. */
import type { Frame, Header } from './frame.ts'
import { type Message, messageOf, numberOf, splitRecords } from './records.ts'
import type { Session } from './session.ts'

/** After so many messages, or so long after the first of them, the node is told that they were dealt with, in ms. */
const TOLD_COUNT = 64
const TOLD_MS = 20
/** Time after which the node is told so anyway: that it answers is how a lost connection is noticed, in ms. */
const SIGN_OF_LIFE_MS = 5_000
/** Time that a node without its backend may take for an answer, in ms. */
const PATIENCE_MS = 10_000

/** What a topic is followed with. */
export interface FollowingOptions {
  topic: string
  /** Number up to which the client has the messages. */
  after: number
  request(header: Header, waitMs: number): Promise<unknown>
  /** So many messages before the next one were dropped before they were sent: none, mostly. */
  onMissed(count: number): void
}

/** A topic that is followed, on one connection after the other. */
export class Following {
  readonly #options: FollowingOptions
  #messages: Message[] = []
  #next = 0
  /** Number of the last message that has come. */
  #last: number
  /** Number of the last one that was given out. */
  #given: number
  #dealtWith: number
  #told: number
  #waiting: (() => void)[] = []
  #end: { error: Error | null } | null = null
  #wake = () => {}
  /** How many iterate over it. */
  users = 0

  constructor(options: FollowingOptions) {
    this.#options = options
    this.#last = options.after
    this.#given = options.after
    this.#dealtWith = options.after
    this.#told = options.after
    options.request(this.#request, PATIENCE_MS).catch((error) => this.end(error))
    void this.#tell()
  }

  get #request(): Header {
    return { type: 'follow', topic: this.#options.topic, after: this.#last }
  }

  /**
   * Goes on on a new connection, from what was given out: what is on its way is counted anew by the node. A node that refuses ends it; when that
   * connection is lost too, there is a next one.
   */
  resume(session: Session): void {
    this.#messages = []
    this.#next = 0
    this.#last = this.#given
    session.request(this.#request).catch((error) => {
      if (session.isOpen) this.end(error)
    })
  }

  /** Takes what a node has sent. After a change of connection, some of it may have come already. */
  receive({ body }: Frame): void {
    const records = splitRecords(body).filter((record) => numberOf(record) > this.#last)
    const last = records.at(-1)
    if (!last || this.#end) return
    this.#last = numberOf(last)
    for (const record of records) this.#messages.push(messageOf(record))
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** The next message; null once it has ended. Throws the error with which it has. */
  async next(): Promise<Message | null> {
    for (;;) {
      const message = this.#messages[this.#next]
      if (message && !this.#end) {
        this.#options.onMissed(message.number - this.#given - 1)
        this.#given = message.number
        if (++this.#next === this.#messages.length) {
          this.#messages = []
          this.#next = 0
        }
        return message
      }
      if (this.#end?.error) throw this.#end.error
      if (this.#end) return null
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** The messages up to a number have been dealt with. */
  dealtWith(number: number): void {
    if (number <= this.#dealtWith) return
    this.#dealtWith = number
    this.#wake()
  }

  /** Ends it, with an error or without. */
  end(error: Error | null = null): void {
    this.#end ??= { error }
    for (const wake of this.#waiting.splice(0)) wake()
    this.#wake()
  }

  /** Tells the node up to where messages were dealt with, again and again. */
  async #tell(): Promise<void> {
    const { topic, request } = this.#options
    for (;;) {
      await this.#untilToTell()
      if (this.#end) return
      this.#told = this.#dealtWith
      try {
        await request({ type: 'received', topic, after: this.#told }, PATIENCE_MS)
      } catch (error) {
        this.end(error as Error)
      }
    }
  }

  #untilToTell(): Promise<void> {
    return new Promise((resolve) => {
      let timer = setTimeout(resolve, SIGN_OF_LIFE_MS)
      let isSoon = false
      const look = (): void => {
        if (this.#end || this.#dealtWith - this.#told >= TOLD_COUNT) {
          clearTimeout(timer)
          resolve()
        } else if (this.#dealtWith > this.#told && !isSoon) {
          isSoon = true
          clearTimeout(timer)
          timer = setTimeout(resolve, TOLD_MS)
        }
      }
      this.#wake = look
      look()
    })
  }
}
