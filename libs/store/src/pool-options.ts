/** The options of a pool, checked and completed. */
import type { Persistence, Pool, PoolOptions, Retention } from './contract.ts'
import { InvalidOptionError, PoolConflictError } from './errors.ts'

const DEFAULT_RETENTION: Record<Persistence, Retention> = {
  transient: {},
  volatile: { versions: 1 },
  buffered: {},
  persistent: {},
}

/** A pool with these options. Throws `InvalidOptionError`. */
export function newPool(path: string, options: PoolOptions, created: number): Pool {
  const persistence = options.persistence ?? 'volatile'
  if (!Object.hasOwn(DEFAULT_RETENTION, persistence))
    throw new InvalidOptionError(
      `Pool '${path}': persistence '${persistence}' is unknown. Use transient, volatile, buffered or persistent.`,
    )
  const retention = options.retention ?? DEFAULT_RETENTION[persistence]
  const { versions, ageMs } = retention
  if (versions !== undefined && !(Number.isSafeInteger(versions) && versions >= 1))
    throw new InvalidOptionError(
      `Pool '${path}': retention.versions is ${versions}; it must be a whole number from 1.`,
    )
  if (ageMs !== undefined && !(Number.isFinite(ageMs) && ageMs >= 0))
    throw new InvalidOptionError(
      `Pool '${path}': retention.ageMs is ${ageMs}; it must be a number of ms from 0.`,
    )
  const { affinity } = options
  if (affinity !== undefined && !/^[\w.-]{1,100}$/.test(affinity))
    throw new InvalidOptionError(
      `Pool '${path}': affinity is '${affinity}'; a name has 1 to 100 letters, digits, points, dashes or underscores.`,
    )
  return {
    path,
    persistence,
    retention: { ...(versions !== undefined && { versions }), ...(ageMs !== undefined && { ageMs }) },
    ...(affinity !== undefined && { affinity }),
    created,
  }
}

/** Throws `PoolConflictError` unless a pool has the options that are wanted of it. */
export function checkSamePool(existing: Pool, wanted: Pool): void {
  const describe = ({ persistence, retention, affinity }: Pool) =>
    JSON.stringify({ persistence, retention, affinity })
  if (describe(existing) !== describe(wanted))
    throw new PoolConflictError(
      `Pool '${wanted.path}' is there with other options: ${describe(existing)} instead of ${describe(wanted)}.`,
    )
}
