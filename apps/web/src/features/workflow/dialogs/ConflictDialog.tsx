import { check } from '@hivemind/dsl'
import { useMemo, useState } from 'react'
import { api } from '../../../api/client.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { unified } from '../model/lineEnds.ts'
import { save } from '../save.ts'
import { useDocument, useSession, useView } from '../session.ts'
import { MergePanel } from '../versions/MergePanel.tsx'
import { type Choices, keyOf, mergedText, putOnScreen } from '../versions/mergeWith.ts'
import { DiffView } from './DiffView.tsx'

/** Shown when a newer version was saved meanwhile: both in one, or the choice between them. Neither is lost. */
export default function ConflictDialog({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const { project, document } = session
  const text = useDocument((state) => state.text)
  const saved = useDocument((state) => state.saved)
  const saving = useView((state) => state.saving)
  const [choices, setChoices] = useState<Choices>({})
  const [shown, setShown] = useState<'merge' | 'texts'>('merge')
  const load = useLoad(
    async (signal) => {
      const { headVersion } = await api.getProject(project.id, signal)
      return api.getVersion(project.id, headVersion, signal)
    },
    [project.id],
  )
  const head = load.data
  const merged = useMemo(
    () => (head ? mergedText(saved.text, text, head, choices) : null),
    [head, saved.text, text, choices],
  )
  const errors = useMemo(
    () => (merged ? check(merged.text).diagnostics.filter(({ severity }) => severity === 'error') : []),
    [merged],
  )
  const isReady = errors.length === 0 && merged?.left.length === 0
  const loadNewest = (): void => {
    if (!head) return
    const { text, layout, number } = head
    document.actions.replaceText(text, `Load version ${number}`, layout.nodes)
    document.actions.setSaved({ version: number, text, nodes: layout.nodes })
    document.actions.notify(`Version ${number} was loaded. Undo restores your text.`)
    onClose()
  }
  const takeMerge = async (): Promise<void> => {
    if (!head || !merged) return
    putOnScreen(document, merged, head)
    if (isReady && !(await save(session))) {
      load.reload()
      return
    }
    document.actions.notify(
      isReady
        ? `Your changes and those of version ${head.number} were merged and saved. Undo restores your text.`
        : `Your changes were merged with version ${head.number} and are not saved yet. Undo restores your text.`,
    )
    onClose()
  }
  return (
    <Dialog title="A newer version was saved meanwhile" onClose={onClose} wide>
      <div className="flex flex-col gap-3">
        <ProblemNote problem={load.problem} retry={load.reload} />
        {load.loading && !head && <Waiting what="Loading the newest version" />}
        {head && (
          <>
            <p className="text-sm">
              Your changes started from version {saved.version}; the newest is version {head.number}. Neither
              text is lost: versions are never overwritten, and Undo restores yours.
            </p>
            {!merged && (
              <p className="text-sm">
                One of the texts has syntax errors, so that they cannot be merged by their tasks.
              </p>
            )}
            {merged && shown === 'merge' ? (
              <MergePanel
                head={head}
                merged={merged}
                errors={errors}
                choices={choices}
                onChoose={(conflict, side) => setChoices({ ...choices, [keyOf(conflict)]: side })}
              />
            ) : (
              <DiffView
                left={unified(head.text)}
                right={text}
                leftName={`Version ${head.number} (newest)`}
                rightName="Your text"
              />
            )}
            <div className="flex flex-wrap justify-end gap-2">
              {merged && (
                <Button className="mr-auto" onClick={() => setShown(shown === 'merge' ? 'texts' : 'merge')}>
                  {shown === 'merge' ? 'Show both texts' : 'Show the merge'}
                </Button>
              )}
              <Button onClick={onClose}>Continue editing</Button>
              <Button onClick={loadNewest}>Load version {head.number}</Button>
              <Button
                look={merged ? 'plain' : 'primary'}
                busy={saving === 'saving'}
                title={`Saves your text as it is; what version ${head.number} has changed is then not in it`}
                onClick={() => void save(session, head.number)}
              >
                Save yours as version {head.number + 1}
              </Button>
              {merged && (
                <Button
                  look="primary"
                  data-testid="take-merge"
                  busy={saving === 'saving'}
                  onClick={() => void takeMerge()}
                >
                  {isReady ? `Merge and save as version ${head.number + 1}` : 'Merge on the screen'}
                </Button>
              )}
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}
