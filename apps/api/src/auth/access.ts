/** What a caller may do in the store. Whatever needs to know asks here. */
import { holds } from '@hivemind/store'
import { Problem } from '../common/problem.ts'
import type { Grant } from '../database/tables.ts'
import type { KeyHolder, Principal } from './principal.ts'

export type Right = 'read' | 'write'

/** Grants that a refusal lists. */
const MAX_LISTED = 5
const WORDS = { read: 'read', 'read-write': 'read and write' } as const

const gives = ({ access }: Grant, right: Right): boolean => right === 'read' || access === 'read-write'

/** Whether a caller may do this with a path and with all that is below it. */
export const may = (caller: Principal, right: Right, path: string): boolean =>
  caller.how !== 'key' || caller.grants.some((grant) => gives(grant, right) && holds(grant.prefix, path))

/** Whether a caller may read a path, something below it, or something around it. */
export const reaches = (caller: Principal, path: string): boolean =>
  caller.how !== 'key' || reachIn(caller.grants, path).length > 0

/** What grants give in and below a path: each with the part of it that they give. */
export const reachIn = (grants: readonly Grant[], path: string): Grant[] =>
  grants.flatMap((grant) => {
    if (holds(grant.prefix, path)) return [{ ...grant, prefix: path }]
    return holds(path, grant.prefix) ? [grant] : []
  })

/** The prefixes that together hold all that a caller may read in and below a path. None of them holds another. */
export function readablePrefixes(caller: Principal, path: string): string[] {
  if (caller.how !== 'key') return [path]
  const prefixes = [...new Set(reachIn(caller.grants, path).map(({ prefix }) => prefix))]
  return prefixes.filter((prefix) => !prefixes.some((other) => other !== prefix && holds(other, prefix)))
}

/** Throws 403, with the key, the path and the right that is missing, when a caller may not do this with a path and all below it. */
export function demand(caller: Principal, right: Right, path: string, field: string): void {
  if (caller.how !== 'key' || may(caller, right, path)) return
  throw new Problem(403, `Access key '${caller.name}' may not ${right} '${path}': ${rightsOf(caller)}.`, [
    { field, message: `needs the right to ${right} '${path}'` },
  ])
}

/** What a key may do, for a refusal. */
export function rightsOf({ grants }: KeyHolder): string {
  const listed = grants.slice(0, MAX_LISTED).map(({ access, prefix }) => `${WORDS[access]} '${prefix}'`)
  const more = grants.length > MAX_LISTED ? [`${grants.length - MAX_LISTED} more`] : []
  return `it may ${[...listed, ...more].join(', ')}`
}
