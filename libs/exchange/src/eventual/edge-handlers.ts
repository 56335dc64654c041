/** The requests for eventual objects that an edge node answers to clients. */
import { countOf, nameOf } from '../fields.ts'
import type { Handlers } from '../server.ts'
import type { Session } from '../session.ts'
import type { EventualCopies } from './copies.ts'
import { wantedOf } from './declaration.ts'

/** Handlers of the requests `eventual-*` of clients. `clientOf` throws when a connection has no client. */
export function edgeEventualHandlers(
  copies: EventualCopies,
  clientOf: (session: Session) => string,
): Handlers {
  return {
    async 'eventual-open'(header, _, session) {
      clientOf(session)
      return { fields: { ...(await copies.open(nameOf(header, 'name'), wantedOf(header))) } }
    },
    async 'eventual-read'(header, _, session) {
      clientOf(session)
      const maxAgeMs = header.isAnyAge
        ? Number.POSITIVE_INFINITY
        : header.maxAgeMs == null
          ? undefined
          : countOf(header, 'maxAgeMs')
      const copy = await copies.read(nameOf(header, 'name'), maxAgeMs)
      const { value } = copy.state
      const fields = { exists: value !== null, token: copies.tokenOf(copy) }
      return value ? { fields, body: value } : { fields }
    },
    async 'eventual-write'(header, body, session) {
      clientOf(session)
      await copies.write(nameOf(header, 'name'), body)
      return {}
    },
    async 'eventual-remove'(header, _, session) {
      clientOf(session)
      await copies.remove(nameOf(header, 'name'))
      return {}
    },
    async 'eventual-settle'(header, _, session) {
      clientOf(session)
      await copies.settled(nameOf(header, 'name'), countOf(header, 'waitMs'))
      return {}
    },
    async 'eventual-wait'(header, _, session) {
      clientOf(session)
      const seen = typeof header.seen === 'string' ? header.seen : ''
      await copies.changed(nameOf(header, 'name'), seen, countOf(header, 'waitMs'))
      return {}
    },
  }
}
