import type { Fleet } from '@hivemind/swarm'
import { RotateCcw, Save, Undo2 } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Badge, ProblemNote } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { FleetFormContext } from './FleetFields.tsx'
import { FleetPicture } from './FleetPicture.tsx'
import { FleetSections } from './FleetSections.tsx'
import { type Saved, useFleetEditor } from './useFleetEditor.ts'

/** The form of an own fleet. `actions` gets the fleet as it is in the form, whether it is saved, and whether it is valid. */
export function FleetEditor({
  project,
  saved,
  onSaved,
  actions,
}: {
  project: string
  saved: Saved
  onSaved: (saved: Saved) => void
  actions: (fleet: Fleet, isSaved: boolean, isValid: boolean) => ReactNode
}) {
  const editor = useFleetEditor(project, saved, onSaved)
  const { fleet, faults, form, isDirty, save, resolve } = editor
  const canSave = isDirty && faults.size === 0
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return
    const key = event.key.toLowerCase()
    if (key !== 's' && key !== 'z') return
    event.preventDefault()
    if (key === 'z') editor.undo()
    else if (canSave) void save.run()
  }
  return (
    <form
      className="flex min-w-0 flex-col gap-3"
      data-testid="fleet-form"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        if (canSave) void save.run()
      }}
    >
      <Panel
        title={fleet.name}
        className="z-10 md:sticky md:-top-4"
        actions={
          <span className="flex flex-wrap items-center gap-2">
            {isDirty && <Badge tone="warn">Unsaved changes</Badge>}
            <Button disabled={!editor.canUndo} title="Undo (Ctrl+Z)" onClick={editor.undo}>
              <Undo2 className="size-4" aria-hidden="true" />
              Undo
            </Button>
            <Button disabled={!isDirty} onClick={editor.discard}>
              <RotateCcw className="size-4" aria-hidden="true" />
              Discard
            </Button>
            <Button type="submit" look="primary" busy={save.busy} disabled={!canSave} title="Save (Ctrl+S)">
              {!save.busy && <Save className="size-4" aria-hidden="true" />}
              Save
            </Button>
          </span>
        }
      >
        <div className="flex flex-wrap gap-2">{actions(fleet, !isDirty, faults.size === 0)}</div>
        {faults.size > 0 && (
          <p role="status" className="text-sm text-danger">
            {format.count(faults.size, 'field')} to correct before it can be saved.
          </p>
        )}
        {editor.wasRestored && (
          <p role="status" className="text-sm text-muted">
            Unsaved changes of before are here again. Discard goes back to the saved fleet.
          </p>
        )}
        {!editor.canStore && (
          <p role="status" className="text-sm text-warn">
            This browser cannot keep unsaved changes. Save before you leave.
          </p>
        )}
        {editor.isConflict && (
          <div role="alert" className="flex flex-wrap items-center gap-2 rounded-md bg-warn-soft p-2 text-sm">
            <span className="flex-1">
              Somebody else has changed or deleted this fleet since you opened it. Nothing was overwritten.
            </span>
            <Button busy={resolve.busy} onClick={() => void resolve.run('theirs')}>
              Load theirs
            </Button>
            <Button busy={resolve.busy} onClick={() => void resolve.run('mine')}>
              Keep mine
            </Button>
          </div>
        )}
        <ProblemNote problem={save.problem ?? resolve.problem} />
      </Panel>
      <FleetPicture fleet={fleet} />
      <FleetFormContext value={form}>
        <FleetSections fleet={fleet} />
      </FleetFormContext>
    </form>
  )
}
