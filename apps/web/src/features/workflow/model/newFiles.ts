/** Task code that does not exist yet, with the templates to create it from. */
import type { Workflow } from '@hivemind/workflow'
import { codeTemplate } from './templates.ts'

/** A file to create. */
export interface NewFile {
  path: string
  text: string
}

/**
 * The code files of the workflow's tasks that are not among `existing`, each once, with the template of the first task that
 * names it. Paths that are neither JavaScript nor Python, or lead out of the project, are left out.
 */
export function newFilesOf(workflow: Workflow | null, existing: readonly { path: string }[]): NewFile[] {
  const known = new Set(existing.map(({ path }) => path))
  const files: NewFile[] = []
  for (const task of workflow?.tasks ?? []) {
    const { code: path } = task
    if (path.startsWith('nfu:') || known.has(path) || !isInside(path)) continue
    known.add(path)
    const text = codeTemplate(task)
    if (text !== null) files.push({ path, text })
  }
  return files
}

const isInside = (path: string): boolean =>
  !/^\/|\\|\0|^[A-Za-z][A-Za-z0-9+.-]*:/.test(path) &&
  !path.split('/').some((part) => part === '..' || part === '.')
