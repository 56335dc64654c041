/** What the screen of access keys computes. Pure. */
import type { AccessKey, Grant, StorePool } from '../../../api/types.ts'
import { pathProblem } from '../objects.ts'

const DAY_MS = 24 * 3600_000

/** How long a new key may live, in days. */
export const LIFETIMES = {
  never: { label: 'never', days: undefined },
  day: { label: 'in a day', days: 1 },
  month: { label: 'in 30 days', days: 30 },
  quarter: { label: 'in 90 days', days: 90 },
  year: { label: 'in a year', days: 365 },
} as const
export type Lifetime = keyof typeof LIFETIMES

/** What a grant allows, in words. */
export const ACCESS_WORDS: Record<Grant['access'], string> = { read: 'read', 'read-write': 'read and write' }

/** When a key that is made at `now` (ms since 1970) expires, as ISO 8601. */
export function expiryOf(lifetime: Lifetime, now: number): string | undefined {
  const { days } = LIFETIMES[lifetime]
  return days === undefined ? undefined : new Date(now + days * DAY_MS).toISOString()
}

/** What is wrong with the name of a new key; `undefined` for a good one, and for none yet. */
export function nameProblem(name: string, keys: readonly Pick<AccessKey, 'name'>[]): string | undefined {
  if (keys.some((key) => key.name === name)) return 'There is a key of this name already.'
  return name === '' || /^[a-z0-9][a-z0-9-]{0,39}$/.test(name)
    ? undefined
    : "Use small letters, digits and '-', at most 40, as in camera-7."
}

/** Whether a key can be made with these grants. */
export const grantsComplete = (grants: readonly Grant[]): boolean =>
  grants.length > 0 &&
  grants.every(({ prefix }) => prefix !== '' && prefix.length <= 1024 && pathProblem(prefix) === undefined)

/** Which access keys reach a pool, in words; `undefined` when none does. */
export function reachText({
  path,
  accessKeys = [],
}: Pick<StorePool, 'path' | 'accessKeys'>): string | undefined {
  if (accessKeys.length === 0) return undefined
  const each = accessKeys.map(
    ({ name, prefix, access }) =>
      `${name} (${ACCESS_WORDS[access]}${prefix === path ? '' : ` ${prefix.slice(path.length + 1)}`})`,
  )
  return `access keys: ${each.join(', ')}`
}
