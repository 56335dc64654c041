/** Times that the parties of shared objects agree on. */

/**
 * Time that an edge node may serve its copies after it has sent a sign of life, in ms. The backend counts from when it receives the
 * sign, so its count ends later.
 */
export const COPY_LEASE_MS = 3_000

/** Time after which the backend releases a lock that its client has not released, in ms. */
export const LOCK_LEASE_MS = 5_000

/** Time that a request for an object may take beyond the time of a try: for what others hold to expire, in ms. */
export const OBJECT_PATIENCE_MS = COPY_LEASE_MS + LOCK_LEASE_MS

/** Time that a client waits for a lock beyond the time of a try, in ms. */
export const LOCK_PATIENCE_MS = 60_000
