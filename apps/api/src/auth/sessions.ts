import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const LIFETIME_MS = 12 * 3600_000
const MAX_SESSIONS = 1_000

/** What is kept of a session. */
export interface KeptSession {
  /** Of its token and the password with which it began, hexadecimal. */
  hash: string
  expiresAt: Date
}

interface Session {
  expiresAt: number
  ended: AbortController
  timer: NodeJS.Timeout
}

/**
 * Sessions in memory, the oldest first. Of a token only a hash with the password is kept, so that with another password no session
 * of before is found.
 */
export class Sessions {
  private readonly sessions = new Map<string, Session>()
  private readonly password: string
  private readonly now: () => number

  constructor(password: string, now: () => number = Date.now) {
    this.password = password
    this.now = now
  }

  /** Starts a session. Returns its token, what is to be kept of it, and the session that had to make room, if any. */
  start(): { token: string; kept: KeptSession; dropped: string | undefined } {
    const token = randomBytes(32).toString('base64url')
    const kept = { hash: this.hashOf(token), expiresAt: new Date(this.now() + LIFETIME_MS) }
    const [oldest] = this.sessions.keys()
    const dropped = this.sessions.size >= MAX_SESSIONS ? oldest : undefined
    if (dropped !== undefined) this.drop(dropped)
    this.restore(kept)
    return { token, kept, dropped }
  }

  /** Goes on with a session that was kept. */
  restore({ hash, expiresAt }: KeptSession): void {
    const leftMs = expiresAt.getTime() - this.now()
    if (leftMs <= 0) return
    this.sessions.set(hash, {
      expiresAt: expiresAt.getTime(),
      ended: new AbortController(),
      timer: setTimeout(() => this.drop(hash), leftMs).unref(),
    })
  }

  /** A signal that fires when the session of this token ends; `undefined` when there is none. */
  find(token: string): AbortSignal | undefined {
    const hash = this.hashOf(token)
    const session = this.sessions.get(hash)
    if (session && session.expiresAt <= this.now()) this.drop(hash)
    return this.sessions.get(hash)?.ended.signal
  }

  /** Ends the session of a token. Returns its hash. */
  end(token: string): string {
    const hash = this.hashOf(token)
    this.drop(hash)
    return hash
  }

  private hashOf(token: string): string {
    return createHmac('sha256', this.password).update(token).digest('hex')
  }

  private drop(hash: string): void {
    const session = this.sessions.get(hash)
    if (!session) return
    this.sessions.delete(hash)
    clearTimeout(session.timer)
    session.ended.abort()
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Compares in a time that does not depend on where two texts differ. */
export const sameSecret = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
