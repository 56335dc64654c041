import type { Diagnostic } from '@hivemind/dsl'
import {
  ChevronDown,
  ChevronUp,
  CircleAlert,
  CircleCheck,
  FilePlus,
  Info,
  TriangleAlert,
  Wrench,
} from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { commands } from './commands.ts'
import { newFilesOf } from './model/newFiles.ts'
import { createFiles } from './save.ts'
import { showTask, useDocument, useSession, useView } from './session.ts'

const looks = {
  error: { Icon: CircleAlert, colour: 'text-danger' },
  warning: { Icon: TriangleAlert, colour: 'text-warn' },
  hint: { Icon: Info, colour: 'text-accent' },
} as const

/** Rows at first, and rows that each press of the button below adds. */
const INITIAL_ROWS = 100

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

function summary(diagnostics: readonly Diagnostic[]): string {
  const parts = (['error', 'warning', 'hint'] as const).flatMap((severity) => {
    const count = diagnostics.filter((one) => one.severity === severity).length
    return count ? [plural(count, severity)] : []
  })
  return parts.join(', ') || 'No problems'
}

/** The workflow's diagnostics. Pressing one goes to its place; its fixes are buttons. */
export function Problems() {
  const session = useSession()
  const { document, showInText, view } = session
  const diagnostics = useDocument((state) => state.diagnostics)
  const open = useView((state) => state.problems)
  const missing = useNewFiles()
  const [limit, setLimit] = useState(INITIAL_ROWS)
  const certain = diagnostics.filter(({ fixes }) => fixes.some((fix) => fix.certain)).length
  const jump = (one: Diagnostic): void => {
    if (one.task && document.getState().workflow?.tasks.some(({ name }) => name === one.task)) {
      document.actions.select({ tasks: [one.task], edges: [] }, 'text')
      showTask(session, one.task)
    }
    if (!view.getState().text) view.setState({ text: true })
    // The text pane may have to open first.
    requestAnimationFrame(() => showInText.current?.(one.from, one.to))
  }
  const Mark = diagnostics.length === 0 ? CircleCheck : looks[worst(diagnostics)].Icon
  const colour = diagnostics.length === 0 ? 'text-ok' : looks[worst(diagnostics)].colour
  return (
    <section
      aria-label="Problems"
      data-testid="problems"
      className="flex shrink-0 flex-col border-t border-line bg-surface"
    >
      <div className="flex h-8 items-center gap-2 pr-1 pl-2">
        <button
          type="button"
          aria-expanded={open && diagnostics.length > 0}
          onClick={() => view.setState({ problems: !open })}
          className="flex min-w-0 flex-1 items-center gap-2 rounded px-1 text-[13px] font-medium hover:bg-sunken"
        >
          <Mark className={`size-4 shrink-0 ${colour}`} aria-hidden="true" />
          <span role="status" className="shrink-0">
            {summary(diagnostics)}
          </span>
          {!open && diagnostics[0] && (
            <span className="min-w-0 flex-1 truncate text-left font-normal text-muted">
              {
                (diagnostics.find(({ severity }) => severity === worst(diagnostics)) ?? diagnostics[0])
                  .message
              }
            </span>
          )}
          {diagnostics.length > 0 &&
            (open ? (
              <ChevronDown className="size-4 shrink-0 text-muted" aria-hidden="true" />
            ) : (
              <ChevronUp className="size-4 shrink-0 text-muted" aria-hidden="true" />
            ))}
        </button>
        {missing > 0 && (
          <Button
            className="!h-6 !px-2 !text-xs"
            data-testid="create-files"
            title="Creates each file from a template that runs as it is"
            onClick={() => void createFiles(session)}
          >
            <FilePlus className="size-3.5" aria-hidden="true" />
            {missing === 1 ? 'Create the missing file' : `Create all ${missing} missing files`}
          </Button>
        )}
        {certain > 0 && (
          <Button
            className="!h-6 !px-2 !text-xs"
            data-testid="fix-all"
            onClick={() => commands.find(({ id }) => id === 'fix-all')?.run(session)}
          >
            <Wrench className="size-3.5" aria-hidden="true" />
            Apply all certain fixes ({certain})
          </Button>
        )}
      </div>
      {open && diagnostics.length > 0 && (
        <ul className="max-h-28 overflow-y-auto border-t border-line py-1">
          {diagnostics.slice(0, limit).map((one) => {
            const { Icon, colour } = looks[one.severity]
            return (
              <li
                key={`${one.code} ${one.from} ${one.to} ${one.message}`}
                className="flex items-start gap-2 px-3 py-0.5 text-[13px] hover:bg-sunken"
              >
                <button
                  type="button"
                  onClick={() => jump(one)}
                  className="flex min-w-0 flex-1 items-start gap-2 text-left"
                >
                  <Icon className={`mt-0.5 size-3.5 shrink-0 ${colour}`} aria-label={one.severity} />
                  <span className="min-w-0 flex-1 break-words">{one.message}</span>
                  <span className="shrink-0 text-xs leading-5 text-muted tabular-nums">
                    {one.code} · {one.line}:{one.column}
                  </span>
                </button>
                {one.fixes.map((fix) => (
                  <button
                    key={fix.title}
                    type="button"
                    onClick={() => document.actions.fix(one, fix)}
                    className="max-w-56 shrink-0 truncate text-xs leading-6 font-medium text-accent-strong hover:underline"
                    title={fix.title}
                  >
                    {fix.title}
                  </button>
                ))}
              </li>
            )
          })}
          {diagnostics.length > limit && (
            <li className="px-3 py-1">
              <Button className="!h-6 !px-2 !text-xs" onClick={() => setLimit(limit + INITIAL_ROWS)}>
                Show more ({diagnostics.length - limit} left)
              </Button>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

/** Number of task code files that do not exist and can be created from a template. */
function useNewFiles(): number {
  const workflow = useDocument((state) => state.workflow)
  const files = useView((state) => state.files)
  return useMemo(() => newFilesOf(workflow, files).length, [workflow, files])
}

const worst = (diagnostics: readonly Diagnostic[]): keyof typeof looks =>
  diagnostics.some(({ severity }) => severity === 'error')
    ? 'error'
    : diagnostics.some(({ severity }) => severity === 'warning')
      ? 'warning'
      : 'hint'
