import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()
const LIFETIME_MS = 12 * 3600_000
const MAX_SESSIONS = 1_000

interface Session {
  expiresAt: number
  ended: AbortController
  timer: NodeJS.Timeout
}

/** Sessions live in memory: a restart ends them. Only a hash of each token is kept. */
export class Sessions {
  private readonly sessions = new Map<string, Session>()
  private readonly now: () => number

  constructor(now: () => number = Date.now) {
    this.now = now
  }

  /** Starts a session and returns its token. */
  start(): string {
    const token = randomBytes(32).toString('base64url')
    const key = digest(token).toString('hex')
    const [oldest] = this.sessions.keys()
    if (this.sessions.size >= MAX_SESSIONS && oldest !== undefined) this.drop(oldest)
    this.sessions.set(key, {
      expiresAt: this.now() + LIFETIME_MS,
      ended: new AbortController(),
      timer: setTimeout(() => this.drop(key), LIFETIME_MS).unref(),
    })
    return token
  }

  /** A signal that fires when the session of this token ends; `undefined` when there is none. */
  find(token: string): AbortSignal | undefined {
    const key = digest(token).toString('hex')
    const session = this.sessions.get(key)
    if (session && session.expiresAt <= this.now()) this.drop(key)
    return this.sessions.get(key)?.ended.signal
  }

  end(token: string): void {
    this.drop(digest(token).toString('hex'))
  }

  private drop(key: string): void {
    const session = this.sessions.get(key)
    if (!session) return
    this.sessions.delete(key)
    clearTimeout(session.timer)
    session.ended.abort()
  }
}

/** Compares in a time that does not depend on where two texts differ. */
export const sameSecret = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
