import { TriangleAlert, X } from 'lucide-react'
import { useEffect, useReducer } from 'react'
import { Button } from '../../ui/Button.tsx'
import { keepThisTab, loadOtherTab } from './drafts.ts'
import { codeDraftsOf, dropCodeDraft } from './model/codeDraft.ts'
import { isDirty } from './model/document.ts'
import { discardDraft } from './save.ts'
import { useDocument, useSession, useView } from './session.ts'

/** Note on the canvas while it shows an older graph than the text. */
export function StaleNote() {
  const stale = useDocument((state) => state.stale)
  if (!stale) return null
  return (
    <p
      data-testid="canvas-stale"
      className="absolute top-2 left-1/2 z-10 flex -translate-x-1/2 items-center gap-2 rounded-md border border-warn bg-warn-soft px-3 py-1 text-[13px] whitespace-nowrap text-warn shadow-sm"
    >
      <TriangleAlert className="size-4" aria-hidden="true" />
      The text has syntax errors. This graph may be out of date.
    </p>
  )
}

/** Note that unsaved changes of an earlier visit were restored from the browser's draft. */
export function RecoveredNote() {
  const session = useSession()
  const recovered = useDocument((state) => state.recovered)
  if (!recovered) return null
  return (
    <div
      role="status"
      data-testid="recovered"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-3 py-1.5 text-[13px]"
    >
      <span className="flex-1">
        Your unsaved changes from {recovered.at} were restored.
        {recovered.behind && ' A newer version was saved since then: Save shows you both to compare.'}
      </span>
      <Button className="!h-7" onClick={() => session.document.setState({ recovered: null })}>
        Keep changes
      </Button>
      <Button className="!h-7" onClick={() => void discardDraft(session)}>
        Discard changes
      </Button>
    </div>
  )
}

/** Note that code files have changes that were not saved when they were left: by Back, a reload or a crash. */
export function CodeDraftsNote() {
  const session = useSession()
  const { project, view } = session
  const isOpen = useView((state) => state.dialog !== null)
  const tasks = useDocument((state) => state.workflow?.tasks)
  const [, look] = useReducer((count: number) => count + 1, 0)
  const paths = isOpen ? [] : codeDraftsOf(project.id)
  return paths.map((path) => {
    const task = tasks?.find(({ code }) => code === path)?.name
    return (
      <div
        key={path}
        role="status"
        data-testid="code-draft"
        className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-accent-soft px-3 py-1.5 text-[13px]"
      >
        <span className="flex-1">
          {path} has unsaved changes, which this browser has kept. A run does not have them.
        </span>
        {task !== undefined && (
          <Button className="!h-7" onClick={() => view.setState({ dialog: { code: task } })}>
            Open {path}
          </Button>
        )}
        <Button
          className="!h-7"
          aria-label={`Discard changes of ${path}`}
          onClick={() => {
            dropCodeDraft(project.id, path)
            look()
          }}
        >
          Discard changes
        </Button>
      </div>
    )
  })
}

/** Warning that another tab has changed or saved the same project. */
export function OtherTabNote() {
  const session = useSession()
  const otherTab = useView((state) => state.otherTab)
  const dirty = useDocument(isDirty)
  if (!otherTab) return null
  return (
    <div
      role="alert"
      data-testid="other-tab"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-warn bg-warn-soft px-3 py-1.5 text-[13px]"
    >
      <TriangleAlert className="size-4 shrink-0 text-warn" aria-hidden="true" />
      <span className="min-w-60 flex-1">
        {otherTab.kind === 'version'
          ? `Another tab saved version ${otherTab.number} of this project.`
          : 'This workflow was changed in another tab.'}
        {otherTab.kind === 'draft' && dirty && ' Until you choose, your changes are kept in this tab only.'}
      </span>
      <Button className="!h-7" onClick={() => void loadOtherTab(session)}>
        Load from the other tab
      </Button>
      <Button className="!h-7" onClick={() => keepThisTab(session)}>
        Keep this tab’s
      </Button>
    </div>
  )
}

const TOAST_MS = 6_000
const ERROR_TOAST_MS = 12_000

/** A toast. Dismisses itself; errors stay longer. */
export function Toast() {
  const { document } = useSession()
  const notice = useDocument((state) => state.notice)
  useEffect(() => {
    if (!notice) return
    const timer = setTimeout(document.actions.dismiss, notice.tone === 'danger' ? ERROR_TOAST_MS : TOAST_MS)
    return () => clearTimeout(timer)
  }, [notice, document])
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 top-32 z-50 flex justify-center"
    >
      {notice && (
        <div
          data-testid="toast"
          className={`pointer-events-auto flex max-w-xl items-start gap-2 rounded-md border bg-raised px-3 py-2 text-sm text-ink shadow-lg ${notice.tone === 'danger' ? 'border-danger' : 'border-line-strong'}`}
        >
          <span className="min-w-0 break-words">{notice.text}</span>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={document.actions.dismiss}
            className="rounded p-0.5 text-muted hover:text-ink"
          >
            <X className="size-4" aria-hidden="true" />
          </button>
        </div>
      )}
    </div>
  )
}
