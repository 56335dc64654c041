import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()
const LIFETIME_MS = 12 * 3600_000
const MOST_SESSIONS = 1_000

/** Sessions live in memory: a restart ends them. Only a hash of each token is kept. */
export class Sessions {
  private readonly expires = new Map<string, number>()
  private readonly now: () => number

  constructor(now: () => number = Date.now) {
    this.now = now
  }

  start(): string {
    const token = randomBytes(32).toString('base64url')
    for (const [key, at] of this.expires) if (at <= this.now()) this.expires.delete(key)
    const [oldest] = this.expires.keys()
    if (this.expires.size >= MOST_SESSIONS && oldest !== undefined) this.expires.delete(oldest)
    this.expires.set(digest(token).toString('hex'), this.now() + LIFETIME_MS)
    return token
  }

  isValid(token: string): boolean {
    return (this.expires.get(digest(token).toString('hex')) ?? 0) > this.now()
  }

  end(token: string): void {
    this.expires.delete(digest(token).toString('hex'))
  }
}

/** Compares in a time that does not depend on where two texts differ. */
export const sameSecret = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))

const WINDOW_MS = 60_000

/** Failed attempts: at most `perAddress` in a minute from one address and `inAll` from everywhere. */
export class Attempts {
  private failed: { address: string; at: number }[] = []
  private readonly perAddress: number
  private readonly inAll: number
  private readonly now: () => number

  constructor(perAddress = 10, inAll = 100, now: () => number = Date.now) {
    this.perAddress = perAddress
    this.inAll = inAll
    this.now = now
  }

  /** Seconds to wait before the next attempt; 0 when it may be made now. */
  wait(address: string): number {
    const since = this.now() - WINDOW_MS
    this.failed = this.failed.filter(({ at }) => at > since)
    const own = this.failed.filter((attempt) => attempt.address === address)
    const first =
      own.length >= this.perAddress ? own[0] : this.failed.length >= this.inAll ? this.failed[0] : undefined
    return first ? Math.max(1, Math.ceil((first.at - since) / 1000)) : 0
  }

  fail(address: string): void {
    this.failed.push({ address, at: this.now() })
  }
}
