/** The snapshots for which a backend keeps earlier versions: a lease each, which reads and signs of life extend. */

/** Time for which a snapshot is kept after the last sign of its transaction, in ms. */
export const SNAPSHOT_LEASE_MS = 10_000

/** Longest time for which a snapshot is kept, in ms. */
export const MAX_SNAPSHOT_MS = 600_000

interface Lease {
  snapshot: number
  /** By `performance.now()`. */
  end: number
  lastEnd: number
}

/** Leases by transaction. */
export class SnapshotLeases {
  readonly #leases = new Map<string, Lease>()

  /** Begins or extends a lease. */
  renew(token: string, snapshot: number): void {
    const now = performance.now()
    const lease = this.#leases.get(token) ?? { snapshot, end: 0, lastEnd: now + MAX_SNAPSHOT_MS }
    lease.snapshot = snapshot
    lease.end = Math.min(now + SNAPSHOT_LEASE_MS, lease.lastEnd)
    this.#leases.set(token, lease)
  }

  end(token: string): void {
    this.#leases.delete(token)
  }

  /** Ends the oldest snapshot. Returns whether there was one. */
  endOldest(): boolean {
    const [token] = this.#leases.keys()
    return token !== undefined && this.#leases.delete(token)
  }

  /** Ends the leases whose time is over. */
  expire(): void {
    const now = performance.now()
    for (const [token, { end }] of this.#leases) if (end <= now) this.#leases.delete(token)
  }

  /** Whether there is a snapshot from one commit on, before another. */
  hasWithin(from: number, before: number): boolean {
    for (const { snapshot } of this.#leases.values()) if (snapshot >= from && snapshot < before) return true
    return false
  }
}
