import { api } from '../../../api/client.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { unified } from '../model/lineEnds.ts'
import { save } from '../save.ts'
import { useDocument, useSession, useView } from '../session.ts'
import { DiffView } from './DiffView.tsx'

/** Somebody saved meanwhile: both texts, and a choice that loses neither. */
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
  const takeTheirs = (): void => {
    if (!head.data) return
    const { text, layout, number } = head.data
    document.actions.replaceText(text, `Take version ${number}`, layout.nodes)
    document.actions.setSaved({ version: number, text, nodes: layout.nodes })
    document.actions.notify(`The screen shows version ${number}. Undo brings your own text back.`)
    onClose()
  }
  return (
    <Dialog title="This project was saved elsewhere meanwhile" onClose={onClose} wide>
      <div className="flex flex-col gap-3">
        <ProblemNote problem={head.problem} retry={head.reload} />
        {head.loading && !head.data && <Waiting what="Loading the newest version …" />}
        {head.data && (
          <>
            <p className="text-sm">
              You began from version {base}; the newest is version {head.data.number}. Whichever you choose,
              the other stays: versions are never overwritten, and undo keeps your text.
            </p>
            <DiffView
              left={unified(head.data.text)}
              right={text}
              leftName={`Version ${head.data.number} (theirs)`}
              rightName="Yours"
            />
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={onClose}>Go on editing</Button>
              <Button onClick={takeTheirs}>Take theirs</Button>
              <Button
                look="primary"
                busy={saving === 'saving'}
                onClick={() => void save(session, head.data?.number)}
              >
                Save mine as version {head.data.number + 1}
              </Button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}
