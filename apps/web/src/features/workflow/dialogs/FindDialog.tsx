import { Command } from 'cmdk'
import { useMemo, useState } from 'react'
import { api } from '../../../api/client.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { findIn, type Hit } from '../model/find.ts'
import { revealTask, type Session, useDocument, useSession } from '../session.ts'

/** Most code files that are searched. */
const MAX_FILES = 200

const groups: Record<Hit['kind'], string> = {
  task: 'Tasks',
  note: 'Notes',
  data: 'Data',
  text: 'Text of the workflow',
  code: 'Code',
}
const itemClass =
  'flex cursor-pointer items-baseline justify-between gap-4 rounded px-2 py-1.5 text-sm data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent-strong'
const groupClass =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted'

function show(session: Session, hit: Hit): void {
  const { document, view, showInText } = session
  if (hit.kind === 'task' || hit.kind === 'note') revealTask(session, hit.task)
  else if (hit.kind === 'data') {
    view.setState({ inspector: true })
    document.actions.select({ tasks: [], edges: [], data: hit.data })
  } else if (hit.kind === 'code') view.setState({ dialog: { code: hit.task, line: hit.at } })
  else {
    view.setState({ text: true })
    // The text pane may have to open first.
    requestAnimationFrame(() => showInText.current?.(hit.from, hit.to))
  }
}

/** The code files of the tasks, each with one task that has it. */
async function codeOf(
  project: string,
  tasks: readonly { name: string; code: string }[],
  signal: AbortSignal,
) {
  const paths = new Map(
    tasks.flatMap(({ name, code }) =>
      code === '' || code.startsWith('nfu:') ? [] : [[code.replace(/^\.\//, ''), name] as const],
    ),
  )
  const files = await Promise.all(
    [...paths].slice(0, MAX_FILES).map(async ([path, task]) => {
      const file = await api.findFile(project, path, signal)
      return file ? [{ task, path, text: file.text }] : []
    }),
  )
  return files.flat()
}

/** Search through tasks, notes, data, the text and the code; Enter goes to what was found. */
export function FindDialog({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const { id: project } = session.project
  const [query, setQuery] = useState('')
  const workflow = useDocument((state) => state.workflow)
  const text = useDocument((state) => state.text)
  const nodes = useDocument((state) => state.nodes)
  const files = useLoad((signal) => codeOf(project, workflow?.tasks ?? [], signal), [project, workflow])
  const notes = useMemo(
    () =>
      Object.fromEntries(Object.entries(nodes).flatMap(([task, { note }]) => (note ? [[task, note]] : []))),
    [nodes],
  )
  const hits = findIn({ workflow, text, notes, files: files.data ?? [] }, query)
  const act = (hit: Hit): void => {
    onClose()
    // Runs after the dialog has returned the focus.
    setTimeout(() => show(session, hit))
  }
  return (
    <Command.Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      label="Find"
      shouldFilter={false}
      loop
      overlayClassName="fixed inset-0 z-40 bg-black/50"
      contentClassName="fixed top-[14vh] left-1/2 z-50 w-[92vw] max-w-2xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-xl"
    >
      <Command.Input
        autoFocus
        value={query}
        onValueChange={setQuery}
        placeholder="Find tasks, data, text and code"
        className="h-11 w-full border-b border-line bg-transparent px-4 text-sm outline-none placeholder:text-muted"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-2" data-testid="found">
        {query.trim() !== '' && (
          <Command.Empty className="p-4 text-center text-sm text-muted">
            {files.loading ? 'Searching the code …' : `Nothing has “${query.trim()}” in it.`}
          </Command.Empty>
        )}
        {files.problem && (
          <p role="alert" className="px-2 py-1 text-sm text-danger">
            The code could not be searched: {files.problem.detail}
          </p>
        )}
        {[...Map.groupBy(hits, ({ kind }) => kind)].map(([kind, list]) => (
          <Command.Group key={kind} heading={groups[kind]} className={groupClass}>
            {list.map((hit, at) => (
              <Command.Item
                key={`${kind} ${at}`}
                value={`${kind} ${at}`}
                onSelect={() => act(hit)}
                className={itemClass}
              >
                <span
                  className={`min-w-0 truncate ${kind === 'text' || kind === 'code' ? 'font-mono text-xs' : ''}`}
                >
                  {hit.line}
                </span>
                <span className="shrink-0 text-xs text-muted">{whereOf(hit)}</span>
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command.Dialog>
  )
}

function whereOf(hit: Hit): string {
  if (hit.kind === 'code') return `${hit.path}:${hit.at}`
  if (hit.kind === 'text') return `line ${hit.at}`
  return hit.kind === 'note' ? hit.task : ''
}
