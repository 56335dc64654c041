import { closeBrackets } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { python } from '@codemirror/lang-python'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { FilePlus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ApiProblem, api } from '../../../api/client.ts'
import { useAction, useLoad } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Nothing, ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { withLineEnds } from '../model/lineEnds.ts'
import { codeTemplate } from '../model/templates.ts'
import { reloadFiles } from '../save.ts'
import { useDocument, useSession } from '../session.ts'
import { editorLook } from '../text/theme.ts'

const MISSING = Symbol('missing')

/** Edits a task's code file, or creates it from a template. */
export default function CodeDialog({ task: name, onClose }: { task: string; onClose: () => void }) {
  const session = useSession()
  const { project } = session
  const task = useDocument((state) => state.workflow?.tasks.find((one) => one.name === name))
  const path = task?.code ?? ''
  const isFile = path !== '' && !path.startsWith('nfu:')
  const file = useLoad<string | typeof MISSING>(
    (signal) =>
      isFile
        ? api.getFile(project.id, path, signal).then(
            // The response of an empty file has no body.
            (text) => text ?? '',
            (error: unknown) => {
              if (error instanceof ApiProblem && error.status === 404) return MISSING
              throw error
            },
          )
        : undefined,
    [project.id, path],
  )
  const [dirty, setDirty] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const read = useRef<() => string>(() => '')
  const write = useAction(async (text: string) => {
    await api.putFile(project.id, path, text)
    setDirty(false)
    await reloadFiles(session)
  })
  const close = (): void => (dirty && !leaving ? setLeaving(true) : onClose())
  const template = task ? codeTemplate(task) : null

  return (
    <Dialog title={`${name}: ${path}`} onClose={close} wide>
      <div className="flex flex-col gap-3">
        <ProblemNote problem={file.problem} retry={file.reload} />
        <ProblemNote problem={write.problem} />
        {!isFile && (
          <p className="text-sm">
            This task is a network functional unit. Its code is built in; its parameters are part of the code
            field.
          </p>
        )}
        {file.loading && <Waiting what="Loading the file" />}
        {file.data === MISSING && (
          <Nothing title={`${path} does not exist yet`}>
            {template === null ? (
              <p>
                Task code is JavaScript (.js, .mjs) or Python (.py). Give the task a path with one of these
                endings.
              </p>
            ) : (
              <Button
                look="primary"
                busy={write.busy}
                data-testid="create-code"
                onClick={() =>
                  void write.run(template).then(() => {
                    file.reload()
                  })
                }
              >
                <FilePlus className="size-4" aria-hidden="true" />
                Create from a template
              </Button>
            )}
          </Nothing>
        )}
        {typeof file.data === 'string' && (
          <>
            <CodeEditor
              key={path}
              path={path}
              text={file.data}
              onRead={(get) => {
                read.current = get
              }}
              onChange={() => {
                setDirty(true)
                setLeaving(false)
              }}
              onSave={() => void write.run(read.current())}
            />
            <div className="flex items-center justify-end gap-2">
              {leaving && (
                <p role="alert" className="mr-auto text-sm text-warn">
                  The file has unsaved changes. Close again to discard them.
                </p>
              )}
              <Button onClick={close}>{leaving ? 'Discard and close' : 'Close'}</Button>
              <Button
                look="primary"
                busy={write.busy}
                disabled={!dirty}
                data-testid="save-code"
                onClick={() => void write.run(read.current())}
              >
                Save file
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}

function CodeEditor({
  path,
  text,
  onRead,
  onChange,
  onSave,
}: {
  path: string
  text: string
  onRead: (get: () => string) => void
  onChange: () => void
  onSave: () => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef({ onRead, onChange, onSave })
  latest.current = { onRead, onChange, onSave }
  useEffect(() => {
    if (!box.current) return
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          bracketMatching(),
          closeBrackets(),
          search({ top: true }),
          path.endsWith('.py') ? [python(), indentUnit.of('    ')] : javascript(),
          editorLook,
          EditorView.contentAttributes.of({
            'aria-label': `Code of ${path}`,
            'data-testid': 'code-editor',
            tabindex: '0',
          }),
          keymap.of([
            {
              key: 'Mod-s',
              preventDefault: true,
              run: () => {
                latest.current.onSave()
                return true
              },
            },
            ...historyKeymap,
            ...searchKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange()
          }),
        ],
      }),
    })
    latest.current.onRead(() => withLineEnds(view.state.doc.toString(), text))
    view.focus()
    return () => view.destroy()
  }, [path, text])
  return <div ref={box} className="h-[58vh] overflow-hidden rounded-md border border-line" />
}
