/** Slows down whoever guesses passwords, and nobody else. */
import { isIPv6 } from 'node:net'

/** Wrong passwords that an address may give before it has to wait. */
const FREE_FAILURES = 5
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 15 * 60_000
/** Failures are forgotten after this time without a further one. */
const FORGET_MS = 3_600_000
/** Wrong passwords in a minute for one account from all addresses, before addresses that never signed in have to wait. */
const MAX_PER_MINUTE = 100
const MINUTE_MS = 60_000
/** Addresses that are remembered; the ones that failed longest ago go first. */
const MAX_ADDRESSES = 10_000

interface Failures {
  count: number
  lastAt: number
  waitUntil: number
}

/** One household or server has a whole /64 of IPv6 addresses. */
function sourceOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) while (groups.length < 8 - tail.split(':').filter(Boolean).length) groups.push('0')
  return groups.slice(0, 4).join(':')
}

/**
 * Failed attempts by account and address. After five failures each further one doubles the wait of that address, from one
 * second to a quarter of an hour. Guesses from many addresses make those wait that never gave the right password.
 */
export class Attempts {
  private readonly failures = new Map<string, Failures>()
  private readonly trusted = new Set<string>()
  private readonly recent = new Map<string, number[]>()
  private readonly now: () => number

  constructor(now: () => number = Date.now) {
    this.now = now
  }

  private key(account: string, address: string): string {
    return `${account} ${sourceOf(address)}`
  }

  private recentOf(account: string): number[] {
    const since = this.now() - MINUTE_MS
    const recent = (this.recent.get(account) ?? []).filter((at) => at > since)
    this.recent.set(account, recent)
    return recent
  }

  /** Seconds until the next attempt; 0 when it may be made now. */
  wait(account: string, address: string): number {
    const key = this.key(account, address)
    const own = (this.failures.get(key)?.waitUntil ?? 0) - this.now()
    const recent = this.recentOf(account)
    const oldest = recent[recent.length - MAX_PER_MINUTE]
    const all = oldest !== undefined && !this.trusted.has(key) ? oldest + MINUTE_MS - this.now() : 0
    return Math.max(0, Math.ceil(Math.max(own, all) / 1_000))
  }

  fail(account: string, address: string): void {
    const key = this.key(account, address)
    const now = this.now()
    const known = this.failures.get(key)
    const count = known && now - known.lastAt < FORGET_MS ? known.count + 1 : 1
    const doublings = count - FREE_FAILURES
    const waitMs = doublings < 0 ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(doublings, 30))
    this.failures.delete(key)
    this.failures.set(key, { count, lastAt: now, waitUntil: now + waitMs })
    const [oldest] = this.failures.keys()
    if (this.failures.size > MAX_ADDRESSES && oldest !== undefined) this.failures.delete(oldest)
    const recent = this.recentOf(account)
    recent.push(now)
    if (recent.length > MAX_PER_MINUTE) recent.shift()
  }

  succeed(account: string, address: string): void {
    const key = this.key(account, address)
    this.failures.delete(key)
    this.trusted.delete(key)
    this.trusted.add(key)
    const [oldest] = this.trusted
    if (this.trusted.size > MAX_ADDRESSES && oldest !== undefined) this.trusted.delete(oldest)
  }
}
