/** The access keys of the store in memory: found by their secrets, until they are removed or their time is over. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyHolder } from '../auth/principal.ts'
import type { Grant } from '../database/tables.ts'

const SECRET_BYTES = 32
/** `hmk_NAME_` and 32 bytes in base64url. */
const FORM = /^hmk_([a-z0-9][a-z0-9-]{0,39})_[\w-]{43}$/
/** Compared with, where no key has the name. */
const NO_HASH = Buffer.alloc(32)
/** Longest time that a timer can wait, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface Key {
  name: string
  grants: readonly Grant[]
  /** SHA-256 of its secret. */
  hash: Buffer
  expiresAt: Date | null
  createdAt: Date
}

/** What is known of a secret. */
export interface Match {
  /** The key that it names, whether or not it is the secret of that key. */
  claimed: Key | undefined
  /** The key that it opens; none once that has expired. */
  holder: KeyHolder | undefined
  /** It is the secret of a key whose time is over. */
  expired: boolean
}

interface Live {
  key: Key
  ended: AbortController
  timer: NodeJS.Timeout | undefined
}

/** A new secret of a key of this name. Only its hash is to be kept. */
export const newSecret = (name: string): string =>
  `hmk_${name}_${randomBytes(SECRET_BYTES).toString('base64url')}`

/** Whether a text has the form of the secret of an access key. */
export const isSecret = (text: string): boolean => FORM.test(text)

/** What of a secret is kept. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export class KeyRing {
  readonly #keys = new Map<string, Live>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Keys by name, expired ones included. */
  list(): Key[] {
    return [...this.#keys.values()].map(({ key }) => key).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  isExpired({ expiresAt }: Key): boolean {
    return expiresAt !== null && expiresAt.getTime() <= this.#now()
  }

  add(key: Key): void {
    const live: Live = { key, ended: new AbortController(), timer: undefined }
    this.#keys.set(key.name, live)
    this.#endInTime(live)
  }

  /** Ends what was opened with it. */
  remove(name: string): void {
    const live = this.#keys.get(name)
    if (!live) return
    this.#keys.delete(name)
    clearTimeout(live.timer)
    live.ended.abort()
  }

  /** Takes a time that does not depend on how much of a secret is right. */
  find(secret: string): Match {
    const [, name = ''] = FORM.exec(secret) ?? []
    const live = this.#keys.get(name)
    const right = timingSafeEqual(hashOf(secret), live?.key.hash ?? NO_HASH)
    if (!live || !right) return { claimed: live?.key, holder: undefined, expired: false }
    const { key, ended } = live
    if (this.isExpired(key)) return { claimed: key, holder: undefined, expired: true }
    const holder: KeyHolder = { name, how: 'key', grants: key.grants, ended: ended.signal }
    return { claimed: key, holder, expired: false }
  }

  /** Ends what was opened with a key when its time is over. */
  #endInTime(live: Live): void {
    const { expiresAt } = live.key
    if (expiresAt === null) return
    const leftMs = expiresAt.getTime() - this.#now()
    if (leftMs <= 0) return live.ended.abort()
    live.timer = setTimeout(() => this.#endInTime(live), Math.min(leftMs, MAX_TIMER_MS)).unref()
  }
}
