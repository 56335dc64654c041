/** A bounded number of places for work that is under way at once; who finds none waits in order. */
export class Places {
  readonly count: number
  private taken = 0
  private readonly waiting: (() => void)[] = []

  constructor(count: number) {
    this.count = count
  }

  /** Whether whoever asks now has to wait. */
  get full(): boolean {
    return this.taken >= this.count
  }

  /** Resolves once there is a place, to what gives it back. Rejects with the signal's reason when that comes first. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.full) await this.turn(signal)
    else this.taken += 1
    let given = false
    return () => {
      if (given) return
      given = true
      const next = this.waiting.shift()
      if (next) next()
      else this.taken -= 1
    }
  }

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(start), 1)
        reject(signal.reason as Error)
      }
      const start = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      this.waiting.push(start)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}
