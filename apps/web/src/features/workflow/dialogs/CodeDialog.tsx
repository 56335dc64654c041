import { FilePlus } from 'lucide-react'
import { useRef } from 'react'
import { api } from '../../../api/client.ts'
import { useAction, useLoad } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Nothing, ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { dropCodeDraft, readCodeDraft } from '../model/codeDraft.ts'
import { codeTemplate } from '../model/templates.ts'
import { reloadFiles } from '../save.ts'
import { useDocument, useSession } from '../session.ts'
import { CodeFile } from './CodeFile.tsx'

/** Edits a task's code file, or creates it from a template. */
export default function CodeDialog({
  task: name,
  line,
  onClose,
}: {
  task: string
  /** Line to begin at, from 1. */
  line?: number | undefined
  onClose: () => void
}) {
  const session = useSession()
  const { id: project } = session.project
  const task = useDocument((state) => state.workflow?.tasks.find((one) => one.name === name))
  const path = task?.code ?? ''
  const isFile = path !== '' && !path.startsWith('nfu:')
  const opened = useLoad(
    (signal) =>
      isFile
        ? api.findFile(project, path, signal).then((file) => ({ file, draft: draftOf(project, path, file) }))
        : undefined,
    [project, path],
  )
  const create = useAction(async (text: string) => {
    await api.putFile(project, path, text, 'none')
    await reloadFiles(session)
    opened.reload()
  })
  const mayClose = useRef<() => boolean>(() => true)
  const close = (): void => {
    if (mayClose.current()) onClose()
  }
  const template = task ? codeTemplate(task) : null
  const { data } = opened
  // A file that was deleted has its unsaved changes all the same.
  const file = data?.file ?? (data?.draft ? { text: '', hash: 'none' } : null)

  return (
    <Dialog title={`${name}: ${path}`} onClose={close} wide>
      <div className="flex flex-col gap-3">
        <ProblemNote problem={opened.problem} retry={opened.reload} />
        <ProblemNote problem={create.problem} retry={opened.reload} />
        {!isFile && (
          <p className="text-sm">
            This task is a network functional unit. Its code is built in; its parameters are part of the code
            field.
          </p>
        )}
        {opened.loading && <Waiting what="Loading the file" />}
        {data && !file && (
          <Nothing title={`${path} does not exist yet`}>
            {template === null ? (
              <p>
                Task code is JavaScript (.js, .mjs) or Python (.py). Give the task a path with one of these
                endings.
              </p>
            ) : (
              <Button
                look="primary"
                busy={create.busy}
                data-testid="create-code"
                onClick={() => void create.run(template)}
              >
                <FilePlus className="size-4" aria-hidden="true" />
                Create from a template
              </Button>
            )}
          </Nothing>
        )}
        {data && file && (
          <CodeFile
            key={`${path} ${file.hash}`}
            path={path}
            file={file}
            draft={data.draft}
            line={line}
            mayClose={mayClose}
            onClose={close}
          />
        )}
      </div>
    </Dialog>
  )
}

/** Unsaved changes of an earlier visit, unless the file has that text by now. */
function draftOf(project: string, path: string, file: { text: string } | null) {
  const draft = readCodeDraft(project, path)
  if (draft === null || draft.text !== file?.text) return draft
  dropCodeDraft(project, path)
  return null
}
