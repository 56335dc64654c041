/** The requests for objects that a backend answers. */
import { ConsistencyError } from '../errors.ts'
import { countOf, nameOf, namesOf } from '../fields.ts'
import type { Handlers } from '../server.ts'
import type { Session } from '../session.ts'
import type { Changes } from './changes.ts'
import type { Holder, ObjectDirectory } from './directory.ts'
import type { ObjectKinds } from './kinds.ts'
import { lockOf, valuesOf } from './messages.ts'

/** What the handlers need of their backend. */
export interface BackendParts {
  directory: ObjectDirectory
  kinds: ObjectKinds
  changes: Changes
  /** Version of a serializable object. */
  snapshotVersionOf(name: string): number
  /** The edge node of a connection. Throws when another connection has taken over. */
  callerOf(session: Session): Holder
  /** Resolves when all that has changed until now is on disk. */
  flushed(): Promise<unknown>
}

/** Handlers of `object-read`, `object-commit`, `object-lock`, `object-unlock` and `object-wait`. */
export function backendObjectHandlers(parts: BackendParts): Handlers {
  const { directory, kinds, changes, callerOf, flushed } = parts
  const { locks } = directory
  const turn = <T>(lock: string, names: readonly string[], action: () => T | Promise<T>): Promise<T> =>
    lock ? locks.runInside(lock, names, action) : locks.run(names, action)
  return {
    async 'object-read'(header, _, session) {
      const edge = callerOf(session)
      const name = nameOf(header, 'name')
      const { version, value } = await turn(lockOf(header), [name], () => directory.read(name, edge))
      const fields = { version, exists: value !== null }
      return value ? { fields, body: value } : { fields }
    },
    async 'object-commit'(header, body, session) {
      const edge = callerOf(session)
      const commit = {
        writer: nameOf(header, 'writer'),
        number: countOf(header, 'number'),
        values: valuesOf(header, body),
      }
      const write = async () => {
        const versions = await directory.commit(commit, edge)
        // Nobody reads what a kill of this process could take back.
        await flushed()
        changes.notify(commit.values.keys())
        return versions ? { fields: { versions: Object.fromEntries(versions) } } : {}
      }
      try {
        if (!directory.hasTaken(commit)) return await turn(lockOf(header), [...commit.values.keys()], write)
      } catch (error) {
        // The lock may be over because the write, which is sent again, was the last one in it.
        if (!directory.hasTaken(commit)) throw error
      }
      await flushed()
      return {}
    },
    async 'object-lock'(header, _, session) {
      callerOf(session)
      await locks.lock(nameOf(header, 'lock'), namesOf(header, 'names'))
      return {}
    },
    'object-unlock'(header, _, session) {
      callerOf(session)
      locks.unlock(nameOf(header, 'lock'))
      return {}
    },
    async 'object-wait'(header, _, session) {
      callerOf(session)
      const name = nameOf(header, 'name')
      const seen = header.seen == null ? -1 : countOf(header, 'seen')
      const waitMs = countOf(header, 'waitMs')
      const version = () => {
        const consistency = kinds.get(name) ?? 'linearizable'
        if (consistency === 'eventual')
          throw new ConsistencyError(
            `The object '${name}' is eventual: follow it by the changes of objects.eventual('${name}').`,
          )
        const isSnapshot = consistency === 'serializable'
        return {
          consistency,
          version: isSnapshot ? parts.snapshotVersionOf(name) : directory.versionOf(name),
        }
      }
      if (version().version === seen) await changes.next(name, waitMs)
      return { fields: version() }
    },
  }
}
