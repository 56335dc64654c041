import { api } from '../../../api/client.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { unified } from '../model/lineEnds.ts'
import { save } from '../save.ts'
import { useDocument, useSession, useView } from '../session.ts'
import { DiffView } from './DiffView.tsx'

/** Shown when a newer version was saved meanwhile: both texts, and the choice between them. Neither is lost. */
export default function ConflictDialog({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const { project, document } = session
  const text = useDocument((state) => state.text)
  const base = useDocument((state) => state.saved.version)
  const saving = useView((state) => state.saving)
  const head = useLoad(
    async (signal) => {
      const { headVersion } = await api.getProject(project.id, signal)
      return api.getVersion(project.id, headVersion, signal)
    },
    [project.id],
  )
  const loadNewest = (): void => {
    if (!head.data) return
    const { text, layout, number } = head.data
    document.actions.replaceText(text, `Load version ${number}`, layout.nodes)
    document.actions.setSaved({ version: number, text, nodes: layout.nodes })
    document.actions.notify(`Version ${number} was loaded. Undo restores your text.`)
    onClose()
  }
  return (
    <Dialog title="A newer version was saved meanwhile" onClose={onClose} wide>
      <div className="flex flex-col gap-3">
        <ProblemNote problem={head.problem} retry={head.reload} />
        {head.loading && !head.data && <Waiting what="Loading the newest version" />}
        {head.data && (
          <>
            <p className="text-sm">
              Your changes started from version {base}; the newest is version {head.data.number}. Neither text
              is lost: versions are never overwritten, and Undo restores yours.
            </p>
            <DiffView
              left={unified(head.data.text)}
              right={text}
              leftName={`Version ${head.data.number} (newest)`}
              rightName="Your text"
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={onClose}>Continue editing</Button>
              <Button onClick={loadNewest}>Load version {head.data.number}</Button>
              <Button
                look="primary"
                busy={saving === 'saving'}
                onClick={() => void save(session, head.data?.number)}
              >
                Save yours as version {head.data.number + 1}
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}
