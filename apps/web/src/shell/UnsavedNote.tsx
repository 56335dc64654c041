import { useNavigate } from 'react-router'
import { useAction } from '../api/useLoad.ts'
import { Button } from '../ui/Button.tsx'
import { useUnsaved } from './unsaved.ts'

/** Note on the Explore and Run screens: the workflow has changed since the version they use was saved. */
export function UnsavedNote({ project, onSaved }: { project: string; onSaved: () => void }) {
  const unsaved = useUnsaved(project)
  const navigate = useNavigate()
  const save = useAction(async () => {
    if (await unsaved?.save()) onSaved()
    // The Workflow screen shows why it could not be saved, and how to resolve that.
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
        The workflow or its files have unsaved changes. This screen uses the last saved version.
      </span>
      <Button className="!h-7" busy={save.busy} onClick={() => void save.run()}>
        Save now
      </Button>
    </div>
  )
}
