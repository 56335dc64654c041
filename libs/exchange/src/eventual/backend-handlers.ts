/** The requests for eventual objects that a backend answers to edge nodes. */
import { nameOf } from '../fields.ts'
import type { Holder } from '../objects/directory.ts'
import type { Handlers } from '../server.ts'
import type { Answer, Session } from '../session.ts'
import { type Declaration, fieldsOf, stateOf, wantedOf } from './declaration.ts'
import type { EventualDirectory, VersionedState } from './directory.ts'

/** Handlers of `eventual-open`, `eventual-fetch`, `eventual-merge` and `eventual-leave`. */
export function backendEventualHandlers(
  directory: EventualDirectory,
  callerOf: (session: Session) => Holder,
): Handlers {
  const answerOf = ({ state, version }: VersionedState, declaration?: Declaration): Answer => ({
    fields: { ...fieldsOf(state, version), ...declaration },
    ...(state.value ? { body: state.value } : {}),
  })
  return {
    async 'eventual-open'(header, _, session) {
      const opened = await directory.open(nameOf(header, 'name'), wantedOf(header), callerOf(session))
      return answerOf(opened, opened.declaration)
    },
    'eventual-fetch'(header, _, session) {
      const read = directory.read(nameOf(header, 'name'), callerOf(session))
      return answerOf(read, read.declaration)
    },
    async 'eventual-merge'(header, body, session) {
      const incoming = stateOf(header, body)
      const merged = await directory.merge(nameOf(header, 'name'), incoming, callerOf(session))
      // What the edge node has sent need not be sent back.
      if (merged.state === incoming) return { fields: { version: merged.version, isSame: true } }
      return answerOf(merged)
    },
    'eventual-leave'(header, _, session) {
      directory.leave(nameOf(header, 'name'), callerOf(session))
      return {}
    },
  }
}
