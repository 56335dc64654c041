/**
 * What each run under way goes by, in a file of the data folder: what it takes to go on with the run after the service was
 * killed (HiveMind, section 4.7). A file is a row of records: length and CRC-32 of the CBOR that follows, 4 bytes each, little-endian.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import type { CoreEvent } from '@hivemind/orchestrator'
import { decodeValue, encodeValue } from '@hivemind/values'
import { log } from '../common/log.ts'
import { sentenceOf } from '../common/text.ts'

/** Changes with what the run core is told: a service does not go on with the journal of one that means something else by it. */
const FORMAT = 'hivemind.run-journal/1'
const HEAD_BYTES = 8
const FLUSH_EVERY_MS = 10
const READ_BYTES = 1_000_000
/** A record that says to be longer is damaged; a value that travels along has 256 kB at most. */
const MAX_RECORD_BYTES = 64_000_000
/** A journal that grows beyond it is given up: its run cannot go on after a kill. */
const MAX_BYTES = 2_000_000_000

function recordOf(value: unknown): Buffer {
  const { bytes } = encodeValue(value)
  const record = Buffer.allocUnsafe(HEAD_BYTES + bytes.length)
  record.writeUInt32LE(bytes.length, 0)
  record.writeUInt32LE(crc32(bytes), 4)
  record.set(bytes, HEAD_BYTES)
  return record
}

/** A whole record of a file, and where it ends, in bytes from the start. */
interface Found {
  value: unknown
  end: number
}

/** The records of a file up to the first that is not whole, which a kill may leave at the end. */
function* recordsOf(file: string): Generator<Found> {
  const descriptor = openSync(file, 'r')
  try {
    let held = Buffer.alloc(0)
    let end = 0
    const fill = (bytes: number): boolean => {
      while (held.length < bytes) {
        const chunk = Buffer.allocUnsafe(Math.max(READ_BYTES, bytes - held.length))
        const read = readSync(descriptor, chunk)
        if (read === 0) return false
        held = Buffer.concat([held, chunk.subarray(0, read)])
      }
      return true
    }
    while (fill(HEAD_BYTES)) {
      const bytes = held.readUInt32LE(0)
      if (bytes > MAX_RECORD_BYTES || !fill(HEAD_BYTES + bytes)) return
      // A copy: what is read from it may be kept for long, and would keep the whole chunk.
      const body = new Uint8Array(held.subarray(HEAD_BYTES, HEAD_BYTES + bytes))
      if (crc32(body) !== held.readUInt32LE(4)) return
      held = held.subarray(HEAD_BYTES + bytes)
      end += HEAD_BYTES + bytes
      yield { value: decodeValue({ type: 'application/cbor', bytes: body }), end }
    }
  } finally {
    closeSync(descriptor)
  }
}

/** The journals of a data folder. */
export class CoreJournals {
  readonly #folder: string

  constructor(dataDir: string) {
    this.#folder = path.join(dataDir, 'run-journals')
    mkdirSync(this.#folder, { recursive: true })
  }

  /**
   * The journal of a run. Where there is none, one without events is in the folder when this returns: the run can go on after a kill from
   * then on. What it holds is kept, but for a record that is not whole.
   */
  open(run: string): CoreJournal {
    const file = this.#fileOf(run)
    if (!this.has(run)) return new CoreJournal(file, 0)
    let end = 0
    for (const found of recordsOf(file)) end = found.end
    truncateSync(file, end)
    return new CoreJournal(file, end)
  }

  /** Whether a run can go on: it has a journal, of a service that meant the same by it. */
  has(run: string): boolean {
    const file = this.#fileOf(run)
    if (!existsSync(file)) return false
    try {
      const { value: first } = recordsOf(file).next()
      return (first as Found | undefined)?.value === FORMAT
    } catch {
      return false
    }
  }

  /** The events of a run, in order. */
  *events(run: string): Generator<CoreEvent> {
    let isHead = true
    for (const { value } of recordsOf(this.#fileOf(run))) {
      if (!isHead) yield value as CoreEvent
      isHead = false
    }
  }

  /** Forgets a run. */
  remove(run: string): void {
    rmSync(this.#fileOf(run), { force: true })
  }

  /** Forgets all runs but these. */
  keepOnly(runs: ReadonlySet<string>): void {
    for (const file of readdirSync(this.#folder))
      if (!runs.has(path.parse(file).name)) rmSync(path.join(this.#folder, file), { force: true })
  }

  #fileOf(run: string): string {
    return path.join(this.#folder, `${run}.journal`)
  }
}

/**
 * The journal of one run. Events are written in batches 10 ms apart: a kill may cost those of the last batch, and the run then goes on
 * from before them. A journal that cannot be written is given up with a line in the log, and the run goes on without.
 */
export class CoreJournal {
  readonly #file: string
  #waiting: Buffer[] = []
  #bytes: number
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #handle: FileHandle | undefined
  #isClosed = false

  /** Use `CoreJournals.open`. `bytes`: how many the file has; with none it is made. */
  constructor(file: string, bytes: number) {
    this.#file = file
    this.#bytes = bytes
    if (bytes > 0) return
    const head = recordOf(FORMAT)
    try {
      writeFileSync(file, head, { mode: 0o600 })
      this.#bytes = head.length
    } catch (error) {
      this.#giveUp(error)
    }
  }

  add(event: CoreEvent): void {
    if (this.#isClosed) return
    this.#waiting.push(recordOf(event))
    this.#timer ??= setTimeout(() => void this.#flush(), FLUSH_EVERY_MS)
  }

  /** Writes what waits, and no more after that. Resolves when it is written, or cannot be. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#writing
    await this.#flush()
    await this.#handle?.close().catch(() => {})
    this.#handle = undefined
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        this.#handle ??= await open(this.#file, 'a', 0o600)
        const batch = Buffer.concat(this.#waiting.splice(0))
        if (this.#bytes + batch.length > MAX_BYTES)
          throw new Error(`it would be larger than ${MAX_BYTES} bytes`)
        await this.#handle.appendFile(batch)
        this.#bytes += batch.length
      }
    } catch (error) {
      await this.#handle?.close().catch(() => {})
      this.#handle = undefined
      this.#giveUp(error)
    }
  }

  #giveUp(error: unknown): void {
    this.#isClosed = true
    this.#waiting = []
    // A journal with a gap would be worse than none.
    rmSync(this.#file, { force: true })
    log.warn(
      { file: this.#file },
      `The journal of a run could not be kept (${sentenceOf(error)}): if the service stops, the run ends with it.`,
    )
  }
}
