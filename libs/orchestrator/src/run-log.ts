/** The log of one run: its first lines, within bounds for a line, for each task and for the run. */
import type { LogLine } from './types.ts'

/** Log lines a run keeps; the first ones. */
export const MAX_LOG_LINES = 5_000
/** Log lines of one source, such as a task, that a run keeps; the first ones. */
export const MAX_SOURCE_LINES = 2_500
/** Text of its log that a run keeps, in UTF-16 code units. */
export const MAX_LOG_LENGTH = 4_000_000
/** Longest line that is kept, in UTF-16 code units; senders cut theirs before. */
const MAX_LINE_LENGTH = 5_000

const count = (value: number) => value.toLocaleString('en')

/** Keeps the first lines of a run; in the place of the first line that is left out stands why. */
export class RunLog {
  #lines: LogLine[] = []
  #length = 0
  #full = false
  readonly #bySource = new Map<string, number>()

  /** A log that goes on from these lines. */
  static from(lines: readonly LogLine[]): RunLog {
    const log = new RunLog()
    for (const line of lines) log.add(line)
    return log
  }

  get lines(): LogLine[] {
    return [...this.#lines]
  }

  /** Takes a line in. Returns the line that is kept for it, if any. */
  add(line: LogLine): LogLine | null {
    if (this.#full) return null
    const { source } = line
    const before = this.#bySource.get(source) ?? 0
    this.#bySource.set(source, before + 1)
    const runIsFull = this.#lines.length >= MAX_LOG_LINES || this.#length >= MAX_LOG_LENGTH
    if (runIsFull) {
      this.#full = true
      const bound =
        this.#length >= MAX_LOG_LENGTH
          ? `${count(MAX_LOG_LENGTH)} characters`
          : `${count(MAX_LOG_LINES)} lines`
      return this.#keep({ at: line.at, level: 'warn', source: 'run', text: leftOut('A run', bound) })
    }
    if (source === 'run' || before < MAX_SOURCE_LINES) return this.#keep(cut(line))
    if (before > MAX_SOURCE_LINES) return null
    const bound = `${count(MAX_SOURCE_LINES)} lines of ${source}`
    return this.#keep({ ...line, level: 'warn', text: leftOut('A run', bound) })
  }

  #keep(line: LogLine): LogLine {
    this.#lines.push(line)
    this.#length += line.text.length
    return line
  }
}

const leftOut = (who: string, bound: string) => `${who} keeps its first ${bound}; what follows is left out.`

function cut(line: LogLine): LogLine {
  const { text } = line
  if (text.length <= MAX_LINE_LENGTH) return line
  const more = count(text.length - MAX_LINE_LENGTH)
  return { ...line, text: `${text.slice(0, MAX_LINE_LENGTH).toWellFormed()} [${more} characters cut]` }
}
