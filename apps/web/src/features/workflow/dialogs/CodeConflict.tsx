import { api } from '../../../api/client.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { Button } from '../../../ui/Button.tsx'
import { ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { unified } from '../model/lineEnds.ts'
import { DiffView } from './DiffView.tsx'

/** Shown when a file was changed meanwhile: both texts, and the choice between them. Neither is lost before it. */
export function CodeConflict({
  project,
  path,
  own,
  busy,
  onBack,
  onTake,
  onOverwrite,
}: {
  project: string
  path: string
  /** The text of this browser. */
  own: string
  busy: boolean
  onBack: () => void
  /** Take the other text. */
  onTake: (text: string, hash: string) => void
  /** Save one's own over the content with this hash; `none` when the file was deleted. */
  onOverwrite: (hash: string) => void
}) {
  const now = useLoad((signal) => api.findFile(project, path, signal), [project, path])
  const { data: file } = now
  return (
    <div className="flex flex-col gap-3" data-testid="code-conflict">
      <ProblemNote problem={now.problem} retry={now.reload} />
      {now.loading && file === undefined && <Waiting what="Loading the file" />}
      {file === null && (
        <p role="alert" className="text-sm">
          {path} was deleted meanwhile. Save yours to make it again.
        </p>
      )}
      {file && (
        <>
          <p role="alert" className="text-sm">
            {path} was saved by somebody else, or in another tab, after you opened it. Nothing was
            overwritten.
          </p>
          <DiffView
            left={unified(file.text)}
            right={unified(own)}
            leftName={`${path} as it is now`}
            rightName="Your text"
          />
        </>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onBack}>Continue editing</Button>
        {file && <Button onClick={() => onTake(file.text, file.hash)}>Take theirs</Button>}
        {file !== undefined && (
          <Button look="primary" busy={busy} onClick={() => onOverwrite(file?.hash ?? 'none')}>
            {file ? 'Save yours in its place' : 'Save yours'}
          </Button>
        )}
      </div>
    </div>
  )
}
