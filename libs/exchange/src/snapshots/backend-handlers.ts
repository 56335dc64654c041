/** The requests of transactions that a backend answers to edge nodes. */
import { countOf, nameOf } from '../fields.ts'
import type { Changes } from '../objects/changes.ts'
import { valuesOf } from '../objects/messages.ts'
import type { Handlers } from '../server.ts'
import type { Session } from '../session.ts'
import type { SnapshotStore } from './store.ts'

/** Handlers of `transaction-begin`, `-read`, `-commit` and `-end`. */
export function backendTransactionHandlers(
  store: SnapshotStore,
  changes: Changes,
  callerOf: (session: Session) => unknown,
): Handlers {
  return {
    async 'transaction-begin'(header, _, session) {
      callerOf(session)
      const { snapshot, changed } = await store.begin(nameOf(header, 'token'), countOf(header, 'known'))
      return { fields: { snapshot, changed: changed && Object.fromEntries(changed) } }
    },
    async 'transaction-read'(header, _, session) {
      callerOf(session)
      const snapshot = countOf(header, 'snapshot')
      const { version, value, through } = await store.read(
        nameOf(header, 'token'),
        snapshot,
        nameOf(header, 'name'),
      )
      return { fields: { version, through, exists: value !== null }, ...(value ? { body: value } : {}) }
    },
    async 'transaction-commit'(header, body, session) {
      callerOf(session)
      const values = valuesOf(header, body)
      const version = await store.commit({
        token: nameOf(header, 'token'),
        snapshot: countOf(header, 'snapshot'),
        writer: nameOf(header, 'writer'),
        number: countOf(header, 'number'),
        values,
      })
      if (version > 0) changes.notify(values.keys())
      return { fields: { version } }
    },
    'transaction-end'(header, _, session) {
      callerOf(session)
      store.end(nameOf(header, 'token'))
      return {}
    },
  }
}
