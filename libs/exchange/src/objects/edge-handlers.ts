/** The requests for objects that an edge node answers: from its copies where it can, by asking the backend where it cannot. */
import { countOf, countsOf, nameOf } from '../fields.ts'
import type { Frame, Header } from '../frame.ts'
import type { Handlers } from '../server.ts'
import type { Answer, Session } from '../session.ts'
import type { Copies } from './copies.ts'
import type { ReadObject } from './directory.ts'
import { LOCK_PATIENCE_MS, OBJECT_PATIENCE_MS } from './leases.ts'
import { lockOf, valuesOf } from './messages.ts'

/** What the handlers need of their edge node. */
export interface EdgeParts {
  copies: Copies
  /** The client of a connection. Throws when there is none. */
  clientOf(session: Session): string
  /** Sends a request to the backend. */
  ask(header: Header, body: Buffer | undefined, waitMs: number): Promise<Frame>
}

function answerOf({ version, value }: ReadObject): Answer {
  const fields = { version, exists: value !== null }
  return value ? { fields, body: value } : { fields }
}

/** The versions of an answer. A write that was sent again has none, and leaves no copy. */
const versionsOf = (header: Header): Map<string, number> =>
  header.versions === undefined ? new Map() : countsOf(header, 'versions')

/** Handlers of `object-read`, `object-commit`, `object-lock`, `object-unlock` and `object-wait`. */
export function edgeObjectHandlers({ copies, clientOf, ask }: EdgeParts): Handlers {
  return {
    async 'object-read'(header, _, session) {
      clientOf(session)
      const name = nameOf(header, 'name')
      const copy = copies.get(name)
      if (copy) return answerOf(copy)
      const fetch = copies.begin([name], false)
      const fetched = new Map<string, ReadObject>()
      try {
        const request = { type: 'object-read', name, lock: lockOf(header) }
        const answer = await ask(request, undefined, OBJECT_PATIENCE_MS)
        const version = countOf(answer.header, 'version')
        const object = { version, value: answer.header.exists === true ? answer.body : null }
        // An object that nobody has written has no copies: it may become one of another consistency.
        if (version > 0) fetched.set(name, object)
        return answerOf(object)
      } finally {
        copies.end(fetch, fetched)
      }
    },
    async 'object-commit'(header, body, session) {
      clientOf(session)
      const values = valuesOf(header, body)
      const names = [...values.keys()]
      const fetch = copies.begin(names, true)
      const written = new Map<string, ReadObject>()
      try {
        const { writer, number, removed } = header
        const request = { type: 'object-commit', writer, number, names, removed, lock: lockOf(header) }
        const answer = await ask(request, body, OBJECT_PATIENCE_MS)
        for (const [name, version] of versionsOf(answer.header))
          written.set(name, { version, value: values.get(name) ?? null })
        return {}
      } finally {
        copies.end(fetch, written)
      }
    },
    async 'object-lock'(header, _, session) {
      clientOf(session)
      const { lock, names } = header
      await ask({ type: 'object-lock', lock, names }, undefined, LOCK_PATIENCE_MS)
      return {}
    },
    async 'object-unlock'(header, _, session) {
      clientOf(session)
      await ask({ type: 'object-unlock', lock: header.lock }, undefined, 0)
      return {}
    },
    async 'object-wait'(header, _, session) {
      clientOf(session)
      const { name, seen, waitMs } = header
      const answer = await ask(
        { type: 'object-wait', name, seen, waitMs },
        undefined,
        countOf(header, 'waitMs'),
      )
      return {
        fields: { consistency: answer.header.consistency, version: countOf(answer.header, 'version') },
      }
    },
  }
}
