/** The log of a process that writes into a file, so that it can be read also by a supervisor that came later. */
import { closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'

const POLL_MS = 250
/** A log larger than this is set aside as `FILE.1`, and the one before is dropped. */
const MAX_FILE_BYTES = 4_000_000
const MAX_READ_BYTES = 1_000_000

/** A line of a function's log. */
export interface FunctionLogLine {
  /** ms since 1970. */
  at: number
  level: 'debug' | 'info' | 'warn' | 'error'
  text: string
  run?: string
  device?: string
  seq?: number
}

/** Follows a file and keeps its last lines. */
export class LogFile {
  readonly #file: string
  readonly #limit: number
  readonly #onLine: (line: FunctionLogLine) => void
  readonly #lines: FunctionLogLine[] = []
  #at = 0
  #rest = ''
  #timer: NodeJS.Timeout | undefined
  #rotating = false

  /** @param limit most lines that are kept in memory */
  constructor(file: string, limit: number, onLine: (line: FunctionLogLine) => void = () => {}) {
    this.#file = file
    this.#limit = limit
    this.#onLine = onLine
    this.#timer = setInterval(() => this.read(), POLL_MS)
    this.#timer.unref()
  }

  /** The last lines, the oldest first. */
  lines(): FunctionLogLine[] {
    this.read()
    return [...this.#lines]
  }

  /** Takes what was written since the last time. */
  read(): void {
    if (this.#rotating) return
    try {
      const { size } = statSync(this.#file)
      if (size < this.#at) this.#at = 0
      if (size > this.#at) this.#take(size)
      if (this.#at > MAX_FILE_BYTES) void this.#rotate()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  close(): void {
    this.read()
    clearInterval(this.#timer)
  }

  #take(size: number): void {
    const from = Math.max(this.#at, size - MAX_READ_BYTES)
    const bytes = Buffer.alloc(size - from)
    const file = openSync(this.#file, 'r')
    try {
      readSync(file, bytes, 0, bytes.length, from)
    } finally {
      closeSync(file)
    }
    this.#at = size
    const lines = (this.#rest + bytes.toString('utf8')).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const text of lines) {
      const line = text === '' ? null : parseLine(text)
      if (!line) continue
      this.#lines.push(line)
      if (this.#lines.length > this.#limit) this.#lines.shift()
      this.#onLine(line)
    }
  }

  /** The process goes on to write at the end of the same file, which is empty then. */
  async #rotate(): Promise<void> {
    this.#rotating = true
    try {
      await copyFile(this.#file, `${this.#file}.1`)
      truncateSync(this.#file)
      this.#at = 0
    } catch {
      // Without room for a copy the log goes on growing; the next line tries again.
    } finally {
      this.#rotating = false
    }
  }
}

/**
 * A line of the host's own log, or any other output of its process; the line that says why it could not start as an error;
 * `null` for the line that says where it is.
 */
function parseLine(text: string): FunctionLogLine | null {
  try {
    const line = JSON.parse(text) as Partial<FunctionLogLine> & StartLine
    if (line.port !== undefined) return null
    if (typeof line.error?.message === 'string')
      return {
        at: Date.now(),
        level: 'error',
        text: `${line.error.message}\n${line.error.detail ?? ''}`.trim(),
      }
    if (typeof line.text === 'string' && typeof line.at === 'number') return line as FunctionLogLine
  } catch {}
  return { at: Date.now(), level: 'warn', text }
}

/** How a start went, as the host says it. */
interface StartLine {
  port?: number
  error?: { message?: string; detail?: string }
}
