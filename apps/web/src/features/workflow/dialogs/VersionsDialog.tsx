import { useState } from 'react'
import { api } from '../../../api/client.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Badge, ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { unified } from '../model/lineEnds.ts'
import { useDocument, useSession } from '../session.ts'
import { DiffView } from './DiffView.tsx'

const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** The versions of the project: what each says beside what is on the screen now, and bringing one back. */
export default function VersionsDialog({ onClose }: { onClose: () => void }) {
  const { project, document } = useSession()
  const text = useDocument((state) => state.text)
  const base = useDocument((state) => state.saved.version)
  const versions = useLoad((signal) => api.listVersions(project.id, signal), [project.id])
  const [chosen, setChosen] = useState<number>()
  const number = chosen ?? versions.data?.[0]?.number
  const version = useLoad(
    (signal) => (number === undefined ? undefined : api.getVersion(project.id, number, signal)),
    [project.id, number],
  )
  const restore = (): void => {
    if (!version.data) return
    document.actions.replaceText(
      version.data.text,
      `Bring back version ${version.data.number}`,
      version.data.layout.nodes,
    )
    document.actions.notify(
      `The screen shows version ${version.data.number} again. Save to make it the newest; undo takes it back.`,
    )
    onClose()
  }
  return (
    <Dialog title="Versions" onClose={onClose} wide>
      <ProblemNote problem={versions.problem} retry={versions.reload} />
      {versions.loading && !versions.data && <Waiting what="Loading the versions …" />}
      {versions.data && (
        <div className="flex min-h-0 flex-col gap-3 md:flex-row">
          <ul
            aria-label="Versions, newest first"
            className="max-h-[56vh] w-full shrink-0 overflow-y-auto md:w-60"
          >
            {versions.data.map((one) => (
              <li key={one.number}>
                <button
                  type="button"
                  aria-pressed={one.number === number}
                  onClick={() => setChosen(one.number)}
                  className="flex w-full flex-col rounded-md px-2 py-1.5 text-left text-sm hover:bg-sunken aria-pressed:bg-accent-soft"
                >
                  <span className="flex items-center gap-1.5 font-medium whitespace-nowrap">
                    Version {one.number}
                    {one.number === base && <Badge tone="accent">opened</Badge>}
                    {one.errors > 0 && (
                      <Badge tone="danger">{one.errors === 1 ? '1 error' : `${one.errors} errors`}</Badge>
                    )}
                  </span>
                  <span className="text-xs text-muted">
                    {when.format(new Date(one.createdAt))}, {one.tasks} tasks
                  </span>
                  {one.message && <span className="text-xs">{one.message}</span>}
                </button>
              </li>
            ))}
          </ul>
          <div className="flex min-w-0 flex-1 flex-col gap-3">
            <ProblemNote problem={version.problem} retry={version.reload} />
            {version.data ? (
              <>
                <DiffView
                  left={unified(version.data.text)}
                  right={text}
                  leftName={`Version ${version.data.number}`}
                  rightName="On the screen now"
                />
                <div className="flex justify-end gap-2">
                  <Button onClick={onClose}>Close</Button>
                  <Button look="primary" onClick={restore}>
                    Bring version {version.data.number} back
                  </Button>
                </div>
              </>
            ) : (
              version.loading && <Waiting what="Loading the version …" />
            )}
          </div>
        </div>
      )}
    </Dialog>
  )
}
