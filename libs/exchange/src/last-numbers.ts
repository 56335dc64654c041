/** The number of the last request of each sender, by which a request that is sent again is recognised. */
import type { Disk } from './disk.ts'

const MAX_SENDERS = 10_000

/** Last numbers by sender, on disk. Beyond 10,000 senders, the one that was silent longest is forgotten. */
export class LastNumbers {
  readonly #disk: Disk
  readonly #kind: string
  /** Those that sent last at the end. */
  readonly #numbers = new Map<string, number>()

  /** Loads what the disk has under a kind. */
  constructor(disk: Disk, kind: string) {
    this.#disk = disk
    this.#kind = kind
    for (const [[sender = ''], number] of disk.stateOf<number>(kind)) this.#numbers.set(sender, number)
  }

  /** The last number of a sender; 0 for none. */
  get(sender: string): number {
    return this.#numbers.get(sender) ?? 0
  }

  set(sender: string, number: number): void {
    this.#numbers.delete(sender)
    this.#numbers.set(sender, number)
    this.#disk.save([this.#kind, sender], number)
    if (this.#numbers.size <= MAX_SENDERS) return
    const [oldest = ''] = this.#numbers.keys()
    this.#numbers.delete(oldest)
    this.#disk.remove([this.#kind, oldest])
  }
}
