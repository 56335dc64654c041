/** Log lines on their way to the service: together every 100 ms, at a bounded rate. */
import type { LogLine, Up } from '@hivemind/agent-protocol'

const FLUSH_MS = 100
/** Task processes cut their lines before. */
const MAX_LINE_LENGTH = 5_000
/** Lines that are kept while the service does not take any. */
const MAX_WAITING_LINES = 1_000
const DEFAULT_LINES_PER_SECOND = 200

/** Sends log lines of runs, and of the agent itself (run ''). Drops what is too much, and says so. */
export class LogForwarder {
  readonly #send: (message: Up) => Promise<void>
  readonly #now: () => number
  #waiting = new Map<string, LogLine[]>()
  #count = 0
  #dropped = 0
  #timer: NodeJS.Timeout | undefined
  #sending = false
  /** Lines that may still be taken in this second. */
  #budget = DEFAULT_LINES_PER_SECOND
  #second = Number.NEGATIVE_INFINITY
  /** Lines per second that are forwarded. */
  linesPerSecond = DEFAULT_LINES_PER_SECOND

  constructor(send: (message: Up) => Promise<void>, now: () => number) {
    this.#send = send
    this.#now = now
  }

  /** Takes a line of a run. */
  add(run: string, line: LogLine): void {
    const second = Math.floor(this.#now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#budget = this.linesPerSecond
    }
    if (this.#budget < 1 || this.#count >= MAX_WAITING_LINES) {
      this.#dropped += 1
    } else {
      this.#budget -= 1
      this.#count += 1
      const { text } = line
      const cut = text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)} ...` : text
      const lines = this.#waiting.get(run) ?? []
      lines.push({ ...line, text: cut })
      this.#waiting.set(run, lines)
    }
    this.#schedule()
  }

  /**
   * Sends what waits, unless the last lines are still on their way; `urgent`: also then. What is sent after the call comes
   * behind these lines. Resolves when the service has them.
   */
  async flush({ urgent = false } = {}): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if ((this.#sending && !urgent) || (this.#waiting.size === 0 && this.#dropped === 0)) return
    this.#sending = true
    const waiting = this.#waiting
    this.#waiting = new Map()
    if (this.#dropped > 0) {
      const text = `${this.#dropped} log lines were dropped: there are more than can be sent.`
      const line: LogLine = { at: this.#now(), level: 'warn', source: 'agent', text }
      waiting.set('', [...(waiting.get('') ?? []), line])
      this.#dropped = 0
    }
    const sends = [...waiting].map(([run, lines]) => this.#send({ t: 'log', run, lines }))
    // a service that restarts does not miss them
    await Promise.allSettled(sends)
    this.#count = [...this.#waiting.values()].reduce((sum, lines) => sum + lines.length, 0)
    this.#sending = false
    if (this.#waiting.size > 0) this.#schedule()
  }

  #schedule(): void {
    if (this.#sending) return
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
  }
}
