import type { Workflow } from '@hivemind/workflow'
import { FileCode } from 'lucide-react'
import { Link } from 'react-router'
import type { CodePlace } from './failures.ts'

/** A link to the code of a task, at the innermost line of it that `places` name. Nothing for a task without code of its own. */
export function OpenCode({
  task,
  places = [],
  project,
  workflow,
}: {
  task: string
  places?: readonly CodePlace[]
  project: string
  workflow: Workflow | null
}) {
  const code = workflow?.tasks.find(({ name }) => name === task)?.code.replace(/^\.\//, '')
  if (code === undefined || code.startsWith('nfu:')) return null
  const line = places.find(({ file }) => file === code)?.line
  const address = new URLSearchParams({ code: task, ...(line !== undefined && { line: `${line}` }) })
  return (
    <Link
      className="inline-flex items-center gap-1.5 font-medium underline"
      data-testid={`open-code-${task}`}
      to={`/projects/${project}?${address}`}
    >
      <FileCode className="size-4" aria-hidden="true" />
      Open {code}
      {line !== undefined && `:${line}`}
    </Link>
  )
}
