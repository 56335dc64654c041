import type { FastifyRequest } from 'fastify'

/**
 * Who a request counts as. Today there are two: everybody on a machine of one's own, and whoever knows the password.
 * Users, roles and tokens will stand here; every decision about what a caller may do asks this value.
 */
export interface Principal {
  name: 'local' | 'owner'
  how: 'loopback' | 'session' | 'basic'
  /** Fires when the session ends, and what was opened with it has to end too. */
  ended?: AbortSignal
}

const principals = new WeakMap<FastifyRequest['raw'], Principal>()

export const setPrincipal = (request: FastifyRequest, principal: Principal) =>
  principals.set(request.raw, principal)

/** The principal of a request that the gate let through; absent on open routes when nobody is signed in. */
export const principalOf = (request: FastifyRequest): Principal | undefined => principals.get(request.raw)
