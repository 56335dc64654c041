import { useState } from 'react'
import { ApiProblem, api } from '../../../api/client.ts'
import type { FileChange } from '../../../api/types.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { Badge, ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { unified } from '../model/lineEnds.ts'
import { DiffView } from './DiffView.tsx'

const tones = { added: 'ok', changed: 'accent', removed: 'danger' } as const satisfies Record<
  FileChange['change'],
  string
>

/** The file's text in a version, empty where the version has no such file; null when it is no text. */
async function textOf(
  project: string,
  version: number,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (version < 1) return ''
  try {
    const text = (await api.getVersionFile(project, version, path, signal)) ?? ''
    return text.includes('\0') ? null : text
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return ''
    throw error
  }
}

/** The files that a version changed against another; a press on one shows both contents. */
export function FileChanges({ project, from, version }: { project: string; from: number; version: number }) {
  const changes = useLoad(
    (signal) => api.compareVersions(project, version, from, signal),
    [project, from, version],
  )
  const [open, setOpen] = useState<string>()
  if (changes.problem) return <ProblemNote problem={changes.problem} retry={changes.reload} />
  if (!changes.data) return <Waiting what="Comparing the files …" />
  const { files } = changes.data
  const against = from > 0 ? `version ${from}` : 'an empty project'
  if (files.length === 0)
    return <p className="text-sm text-muted">No file differs from those of {against}.</p>
  return (
    <section aria-label="Changed files" data-testid="version-files">
      <p className="text-sm text-muted">Files that differ from those of {against}:</p>
      <ul className="max-h-40 overflow-y-auto">
        {files.map(({ path, change }) => (
          <li key={path}>
            <button
              type="button"
              aria-expanded={open === path}
              className="flex w-full items-center gap-2 rounded-md px-2 py-1 text-left text-sm hover:bg-sunken"
              onClick={() => setOpen((old) => (old === path ? undefined : path))}
            >
              <Badge tone={tones[change]}>{change}</Badge>
              <span className="font-mono text-xs break-all">{path}</span>
            </button>
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <FileDiff key={open} project={project} from={from} version={version} path={open} />
      )}
    </section>
  )
}

function FileDiff({
  project,
  from,
  version,
  path,
}: {
  project: string
  from: number
  version: number
  path: string
}) {
  const texts = useLoad(
    async (signal) => {
      const [before, after] = await Promise.all([
        textOf(project, from, path, signal),
        textOf(project, version, path, signal),
      ])
      return { before, after }
    },
    [project, from, version, path],
  )
  if (texts.problem) return <ProblemNote problem={texts.problem} retry={texts.reload} />
  if (!texts.data) return <Waiting what={`Loading ${path} …`} />
  const { before, after } = texts.data
  if (before === null || after === null)
    return <p className="text-sm text-muted">{path} is not a text file, so its content is not shown.</p>
  return (
    <DiffView
      left={unified(before)}
      right={unified(after)}
      leftName={from > 0 ? `${path}, version ${from}` : 'No file'}
      rightName={`${path}, version ${version}`}
    />
  )
}
