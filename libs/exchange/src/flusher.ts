/** Writes what has changed to the disk, many changes at once, and does what has waited for it. */
import type { Disk } from './disk.ts'

const FLUSH_RETRY_MS = 1_000

/** Flushes a disk once per turn of the event loop. While the disk cannot be written, it tries again every second. */
export class Flusher {
  readonly #disk: Disk
  #waiting: (() => void)[] = []
  #scheduled: NodeJS.Immediate | NodeJS.Timeout | null = null

  constructor(disk: Disk) {
    this.#disk = disk
  }

  /** Does something, and then resolves, once all that has changed until now is on disk. */
  flushed(then = () => {}): Promise<void> {
    this.schedule()
    return new Promise((resolve) =>
      this.#waiting.push(() => {
        then()
        resolve()
      }),
    )
  }

  schedule(): void {
    this.#scheduled ??= setImmediate(() => this.flush())
  }

  flush(): void {
    this.#scheduled = null
    try {
      this.#disk.flush()
    } catch (error) {
      // Nobody is answered until it is written: the senders try again, and are told at last.
      console.error((error as Error).message)
      this.#scheduled = setTimeout(() => this.flush(), FLUSH_RETRY_MS).unref()
      return
    }
    for (const action of this.#waiting.splice(0)) action()
  }
}
