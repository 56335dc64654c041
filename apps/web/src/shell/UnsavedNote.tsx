import { useNavigate } from 'react-router'
import { useAction } from '../api/useLoad.ts'
import { Button } from '../ui/Button.tsx'
import { useUnsaved } from './unsaved.ts'

/** On the screens that work on the saved version: the workflow has been changed since. */
export function UnsavedNote({ project, onSaved }: { project: string; onSaved: () => void }) {
  const unsaved = useUnsaved(project)
  const navigate = useNavigate()
  const save = useAction(async () => {
    if (await unsaved?.save()) onSaved()
    // What keeps it from being saved is told, and settled, on the workflow screen.
    else await navigate(`/projects/${project}`)
  })
  if (!unsaved) return null
  return (
    <div
      role="status"
      data-testid="unsaved"
      className="flex shrink-0 items-center gap-2 border-b border-line bg-warn-soft px-3 py-1.5 text-[13px]"
    >
      <span className="flex-1">
        The workflow has changes that are not saved: this screen shows and uses the saved version.
      </span>
      <Button className="!h-7" busy={save.busy} onClick={() => void save.run()}>
        Save them now
      </Button>
    </div>
  )
}
