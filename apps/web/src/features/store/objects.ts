/** What the Store screen computes from objects and their changes. Pure. */
import type { StoreObject, StorePool } from '../../api/types.ts'

/** The objects of a prefix after a write: newer versions replace older ones, removals take an object away. */
export function applyChange(objects: readonly StoreObject[], change: StoreObject): readonly StoreObject[] {
  const at = objects.findIndex(({ key }) => key >= change.key)
  const known = at >= 0 && objects[at]?.key === change.key ? objects[at] : undefined
  if (known && known.version >= change.version) return objects
  const start = at < 0 ? objects.length : at
  return objects.toSpliced(start, known ? 1 : 0, ...(change.removed ? [] : [change]))
}

/** The part of a key below its pool. */
export const nameIn = (pool: string, key: string): string => key.slice(pool.length + 1) || key

/** Writes per second over the last `seconds`, from the times of the writes in ms. */
export function writeRate(times: readonly number[], now: number, seconds = 10): number {
  return times.filter((time) => time > now - seconds * 1000).length / seconds
}

/** What a pool keeps, in words. */
export function retentionText({ persistence, retention: { versions, ageMs } }: StorePool): string {
  if (persistence === 'transient') return 'objects are announced and not kept'
  const limits = [
    ...(versions === undefined
      ? []
      : [versions === 1 ? 'the latest version' : `${versions.toLocaleString('en-GB')} versions`]),
    ...(ageMs === undefined ? [] : [`older versions for ${(ageMs / 1000).toLocaleString('en-GB')} s`]),
  ]
  return limits.length === 0 ? 'keeps all versions' : `keeps ${limits.join(', ')}`
}

/** Why a path cannot be used; `undefined` when it can. */
export function pathProblem(path: string): string | undefined {
  if (path === '' || /^(\/[^/]+)+$/.test(path)) return undefined
  if (!path.startsWith('/')) return "It must begin with '/', such as /factory/images."
  return path.endsWith('/') ? "It must not end with '/'." : 'It must not have an empty part.'
}

/** Media type of a file by its name, where the browser knows none. */
export function mediaType(name: string, known: string): string {
  if (known !== '') return known
  return /\.(json|ndjson)$/i.test(name) ? 'application/json' : 'application/octet-stream'
}

/** Microseconds since 1970 as ISO 8601. */
export const isoOf = (timestamp: number): string => new Date(timestamp / 1000).toISOString()

/** Text of base64. */
export function textOf(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))
  return new TextDecoder().decode(bytes)
}
