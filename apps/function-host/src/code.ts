/** Whether the code of a task is what was deployed. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type ServedTask, TaskError } from '@hivemind/task-runner'

/** Characters of a hash that a person is shown. */
const SHOWN = 12

/** Compares the files of a task with the hashes that they were deployed with. Rejects with `TaskError`. */
export async function checkCode({ task, dir, files = [] }: ServedTask): Promise<void> {
  for (const { path: file, hash } of files) {
    const content = await readFile(path.join(dir, file)).catch(() => undefined)
    const found = content && createHash('sha256').update(content).digest('hex')
    if (found === hash) continue
    const how = found
      ? `has the hash ${found.slice(0, SHOWN)}…, not ${hash.slice(0, SHOWN)}…`
      : 'is not there, or cannot be read'
    throw new TaskError(
      'load',
      `The code of task '${task}' is not what was deployed: '${file}' ${how}. Deploy again.`,
    )
  }
}
