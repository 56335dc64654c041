/** Whether a deployment is older than the project, as a sentence. */
import type { DeploymentRecord, FileChange, UnsavedFiles } from '../../api/types.ts'
import * as format from '../reports/format.ts'

/** Files named in full; more are counted. */
const MAX_NAMED = 3

/** What a run of the deployment would leave out; `undefined` when it would run the newest of everything. */
export function staleness(
  { request: { version } }: DeploymentRecord,
  { version: head, files }: UnsavedFiles,
): string | undefined {
  const sentences = [
    ...(head > version ? [`Version ${head} is newer than version ${version}, which is deployed.`] : []),
    ...(files.length > 0
      ? [`${named(files)} changed since version ${head} was saved, and would not run.`]
      : []),
  ]
  return sentences.length === 0 ? undefined : sentences.join(' ')
}

function named(files: readonly FileChange[]): string {
  const names = files.slice(0, MAX_NAMED).map(({ path }) => path)
  const more = files.length - names.length
  return more > 0
    ? `${names.join(', ')} and ${format.count(more, 'more file', 'more files')}`
    : names.join(', ')
}
