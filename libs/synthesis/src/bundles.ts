/** Bundles: the files that a task's code may read, addressed by content (docs/task-code.md, "What it may read"). */
import type { Task } from '@hivemind/workflow'
import { hashOf } from './hash.ts'
import { ANY_FILE, isCodePath, mentionedAs } from './mentions.ts'
import type { Bundle } from './plan.ts'

/** A file of the project: path relative to it, sha-256 in hex, size, and of code that was read what it mentions (`mentionsIn`). */
export interface SourceFile {
  path: string
  hash: string
  bytes: number
  mentions?: readonly string[]
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

/**
 * The bundle of a task, or sentences about why there is none: the folder of its code file without the code of other tasks that
 * nothing in the bundle mentions, and what `files` names.
 * @param tasks all tasks of the workflow
 */
export function bundleOf(
  task: Task,
  files: readonly SourceFile[],
  tasks: readonly Task[] = [task],
): Bundle | string[] {
  const entry = normalise(task.code)
  if (entry === null)
    return [`Task '${task.name}': the code path '${task.code}' leaves the project; name a file inside it.`]
  if (!files.some((file) => file.path === entry))
    return [
      `Task '${task.name}': there is no file '${task.code}' in the project; create it, or correct the path.`,
    ]
  const problems: string[] = []
  const slash = entry.lastIndexOf('/')
  const folder = slash < 0 ? null : entry.slice(0, slash + 1)
  const named: string[] = []
  for (const path of extraFiles(task)) {
    const wanted = typeof path === 'string' ? normalise(path) : null
    if (wanted === null || wanted === '')
      problems.push(
        `Task '${task.name}': files=${JSON.stringify(path)} must name files or folders inside the project.`,
      )
    else if (!files.some((file) => file.path === wanted || file.path.startsWith(`${wanted}/`)))
      problems.push(`Task '${task.name}': files names '${path}', which the project does not have.`)
    else named.push(wanted)
  }
  if (problems.length > 0) return problems
  const isNamed = ({ path }: SourceFile): boolean =>
    path === entry || named.some((name) => path === name || path.startsWith(`${name}/`))
  const candidates = files.filter(
    (file) => isNamed(file) || (folder !== null && file.path.startsWith(folder)),
  )
  const others = new Set(tasks.map(({ code }) => normalise(code)).filter((code) => !isWholeFolder(code)))
  const read = candidates.map((file) =>
    file.mentions || !(file.path === entry || isCodePath(file.path))
      ? file
      : { ...file, mentions: [ANY_FILE] },
  )
  const inside = withMentioned(read, (file) => isNamed(file) || !others.has(file.path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, hash, bytes }) => ({ path, hash, bytes }))
  return {
    hash: hashOf(inside.map((file) => `${file.path}\0${file.hash}\n`).join('')),
    task: task.name,
    entry,
    files: inside,
  }
}

/** Whether code reads a file by the name of its folder alone. */
const isWholeFolder = (path: string | null): boolean => /(^|\/)(index\.\w+|__init__\.py)$/.test(path ?? '')

/** The candidates that are sure to be needed, and those that these mention, or that those mention, and so on. */
function withMentioned(
  candidates: readonly SourceFile[],
  isSure: (file: SourceFile) => boolean,
): SourceFile[] {
  const inside = candidates.filter(isSure)
  let open = candidates.filter((file) => !isSure(file))
  for (const file of inside) {
    const mentions = new Set(file.mentions)
    const isMentioned = ({ path }: SourceFile): boolean =>
      mentions.has(ANY_FILE) || mentions.has(mentionedAs(path))
    inside.push(...open.filter(isMentioned))
    open = open.filter((each) => !isMentioned(each))
  }
  return inside
}

function extraFiles(task: Task): unknown[] {
  const { files } = task.args
  if (files === undefined || files === null) return []
  return Array.isArray(files) ? files : [files]
}
