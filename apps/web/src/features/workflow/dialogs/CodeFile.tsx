import { type RefObject, useEffect, useRef, useState } from 'react'
import { ApiProblem, api } from '../../../api/client.ts'
import { useAction } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { ProblemNote } from '../../../ui/feedback.tsx'
import { type CodeDraft, dropCodeDraft, storeCodeDraft } from '../model/codeDraft.ts'
import { reloadFiles } from '../save.ts'
import { useSession } from '../session.ts'
import { CodeConflict } from './CodeConflict.tsx'
import { CodeEditor, type CodeEditorHandle } from './CodeEditor.tsx'

const DRAFT_AFTER_MS = 400
const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** An open code file: its text, drafts of unsaved changes, saving, and what to do when others have saved it meanwhile. */
export function CodeFile({
  path,
  file,
  draft,
  line,
  mayClose,
  onClose,
}: {
  path: string
  file: { text: string; hash: string }
  /** Unsaved changes of an earlier visit. */
  draft: CodeDraft | null
  /** Line to begin at, from 1. */
  line: number | undefined
  /** Set to what says whether the dialog may close now; it asks when changes would be lost. */
  mayClose: RefObject<() => boolean>
  onClose: () => void
}) {
  const session = useSession()
  const { id: project } = session.project
  const editor = useRef<CodeEditorHandle>(null)
  const base = useRef(draft?.base ?? file.hash)
  const [dirty, setDirty] = useState(draft !== null)
  const [recovered, setRecovered] = useState(draft?.at)
  const [leaving, setLeaving] = useState(false)
  const [conflict, setConflict] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const keep = (): void => {
    clearTimeout(timer.current)
    timer.current = undefined
    if (!editor.current) return
    const text = editor.current.read()
    if (!storeCodeDraft(project, path, { base: base.current, text, at: new Date().toISOString() }))
      session.document.actions.notify('This browser cannot keep unsaved code. Save often.', 'danger')
  }
  const forget = (): void => {
    clearTimeout(timer.current)
    timer.current = undefined
    dropCodeDraft(project, path)
  }
  const latest = useRef(keep)
  latest.current = keep
  useEffect(() => {
    const leave = (): void => {
      if (timer.current !== undefined) latest.current()
    }
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      leave()
    }
  }, [])

  const changed = (): void => {
    setDirty(true)
    setLeaving(false)
    timer.current ??= setTimeout(() => latest.current(), DRAFT_AFTER_MS)
  }
  const write = useAction(async (expected?: string) => {
    const text = editor.current?.read() ?? ''
    try {
      const { hash } = await api.putFile(project, path, text, expected ?? base.current)
      base.current = hash
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 409) throw error
      keep()
      setConflict(text)
      return
    }
    setConflict(undefined)
    setRecovered(undefined)
    // What was typed while it was being saved is not saved.
    if (editor.current?.read() === text) {
      forget()
      setDirty(false)
    }
    await reloadFiles(session)
  })
  const take = (text: string, hash: string): void => {
    base.current = hash
    editor.current?.replace(text)
    forget()
    setDirty(false)
    setRecovered(undefined)
    setConflict(undefined)
  }
  mayClose.current = () => {
    if (conflict !== undefined) {
      setConflict(undefined)
      return false
    }
    if (dirty && !leaving) {
      setLeaving(true)
      return false
    }
    forget()
    return true
  }

  return (
    <>
      <ProblemNote problem={write.problem} />
      {conflict !== undefined && (
        <CodeConflict
          project={project}
          path={path}
          own={conflict}
          busy={write.busy}
          onBack={() => setConflict(undefined)}
          onTake={take}
          onOverwrite={(hash) => void write.run(hash)}
        />
      )}
      <div className={`flex flex-col gap-3 ${conflict === undefined ? '' : 'hidden'}`}>
        {recovered !== undefined && (
          <div
            role="status"
            data-testid="code-recovered"
            className="flex flex-wrap items-center gap-2 rounded-md bg-accent-soft px-3 py-1.5 text-[13px]"
          >
            <span className="flex-1">
              Your unsaved changes from {when.format(new Date(recovered))} were restored.
              {draft?.base !== file.hash && ' The file was saved since then: Save shows you both.'}
            </span>
            <Button className="!h-7" onClick={() => setRecovered(undefined)}>
              Keep changes
            </Button>
            <Button className="!h-7" onClick={() => take(file.text, file.hash)}>
              Discard changes
            </Button>
          </div>
        )}
        <CodeEditor
          key={path}
          path={path}
          text={draft?.text ?? file.text}
          line={line}
          handle={editor}
          onChange={changed}
          onSave={() => void write.run()}
        />
        <div className="flex items-center justify-end gap-2">
          {leaving && (
            <p role="alert" className="mr-auto text-sm text-warn">
              The file has unsaved changes. Close again to discard them.
            </p>
          )}
          <Button onClick={onClose}>{leaving ? 'Discard and close' : 'Close'}</Button>
          <Button
            look="primary"
            busy={write.busy}
            disabled={!dirty}
            data-testid="save-code"
            onClick={() => void write.run()}
          >
            Save file
          </Button>
        </div>
      </div>
    </>
  )
}
