/** What differs between two sets of files. Pure. */
import type { Noun, VersionFile } from '../database/tables.ts'

/** Files of `after` that are not, or not so, in `before`, and those that are gone; by path. */
export function changesOf(
  before: readonly VersionFile[],
  after: readonly VersionFile[],
): Noun<'FileChange'>[] {
  const old = new Map(before.map((file) => [file.path, file]))
  const changes: Noun<'FileChange'>[] = []
  for (const { path, hash, bytes } of after) {
    const was = old.get(path)
    old.delete(path)
    if (!was) changes.push({ path, change: 'added', bytes })
    else if (was.hash !== hash) changes.push({ path, change: 'changed', bytes })
  }
  for (const { path, bytes } of old.values()) changes.push({ path, change: 'removed', bytes })
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}
