/** Bundles: the files that a task's code may read, addressed by content (docs/task-code.md, "What it may read"). */
import type { Task } from '@hivemind/workflow'
import { hashOf } from './hash.ts'
import type { Bundle } from './plan.ts'

/** A file of the project: path relative to it, sha-256 in hex, size. */
export interface SourceFile {
  path: string
  hash: string
  bytes: number
}

/** Normalises a path: `a/./b` and `a/x/../b` become `a/b`; `null` when it is absolute or leaves the project. */
export function normalise(path: string): string | null {
  if (path.startsWith('/') || path.includes('\0') || path.includes('\\')) return null
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/')
}

/** The bundle of a task, or sentences about why there is none. */
export function bundleOf(task: Task, files: readonly SourceFile[]): Bundle | string[] {
  const entry = normalise(task.code)
  if (entry === null)
    return [`Task '${task.name}': the code path '${task.code}' leaves the project; name a file inside it.`]
  if (!files.some((file) => file.path === entry))
    return [
      `Task '${task.name}': there is no file '${task.code}' in the project; create it, or correct the path.`,
    ]
  const problems: string[] = []
  const slash = entry.lastIndexOf('/')
  const prefixes = [slash < 0 ? entry : entry.slice(0, slash + 1)]
  for (const path of extraFiles(task)) {
    const wanted = typeof path === 'string' ? normalise(path) : null
    if (wanted === null || wanted === '')
      problems.push(
        `Task '${task.name}': files=${JSON.stringify(path)} must name files or folders inside the project.`,
      )
    else if (!files.some((file) => file.path === wanted || file.path.startsWith(`${wanted}/`)))
      problems.push(`Task '${task.name}': files names '${path}', which the project does not have.`)
    else prefixes.push(wanted, `${wanted}/`)
  }
  if (problems.length > 0) return problems
  const inside = files
    .filter((file) =>
      prefixes.some((prefix) => (prefix.endsWith('/') ? file.path.startsWith(prefix) : file.path === prefix)),
    )
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, hash, bytes }) => ({ path, hash, bytes }))
  return {
    hash: hashOf(inside.map((file) => `${file.path}\0${file.hash}\n`).join('')),
    task: task.name,
    entry,
    files: inside,
  }
}

function extraFiles(task: Task): unknown[] {
  const { files } = task.args
  if (files === undefined || files === null) return []
  return Array.isArray(files) ? files : [files]
}
