/** What a caller may read of a store. */
import { reaches, readablePrefixes } from '../../auth/access.ts'
import type { Principal } from '../../auth/principal.ts'
import type { Reads } from './file-tree.ts'

/** The same reads, without all that the caller may not read: what is left of a wider path is put together from its parts. */
export function readableBy(reads: Reads, caller: Principal): Reads {
  const parts = async <T>(path: string, read: (part: string) => Promise<T[]>): Promise<T[]> =>
    (await Promise.all(readablePrefixes(caller, path).map(read))).flat()
  return {
    listPools: async (prefix) => (await reads.listPools(prefix)).filter(({ path }) => reaches(caller, path)),
    listObjects: (prefix, at) => parts(prefix, (part) => reads.listObjects(part, at)),
    changes: (prefix, range) => parts(prefix, (part) => reads.changes(part, range)),
  }
}
