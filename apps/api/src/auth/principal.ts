import type { FastifyRequest } from 'fastify'
import { Problem } from '../common/problem.ts'
import type { Grant } from '../database/tables.ts'

/**
 * Who a request counts as: everybody on a machine of one's own, whoever knows the password, or the holder of an access key of the
 * store. Every decision about what a caller may do asks this value.
 */
export type Principal = Person | KeyHolder

/** Somebody who may do everything. */
export interface Person {
  name: 'local' | 'owner'
  how: 'loopback' | 'session' | 'basic'
  /** Fires when the session ends, and what was opened with it has to end too. */
  ended?: AbortSignal
}

/** A program with an access key: what `access.ts` allows in the store, and nothing else. */
export interface KeyHolder {
  /** Name of the key. */
  name: string
  how: 'key'
  grants: readonly Grant[]
  /** Fires when the key is removed or its time is over. */
  ended: AbortSignal
}

const principals = new WeakMap<FastifyRequest['raw'], Principal>()

export const setPrincipal = (request: FastifyRequest, principal: Principal) =>
  principals.set(request.raw, principal)

/** The principal of a request that the gate let through; absent on open routes when nobody is signed in. */
export const principalOf = (request: FastifyRequest): Principal | undefined => principals.get(request.raw)

/** The principal of a request. Throws 401 when there is none. */
export function callerOf(request: FastifyRequest): Principal {
  const principal = principalOf(request)
  if (!principal) throw new Problem(401, 'Sign in first: this service has a password.')
  return principal
}
