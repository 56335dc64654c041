import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { Field, inputClass } from '../../ui/fields.tsx'
import * as format from '../reports/format.ts'
import { nameProblem, storeDraft } from './draft.ts'

/** Explorations that are looked through for those of a fleet. */
const MAX_LOOKED_AT = 1000

/** Asks for the name of a fleet that is made, copied, renamed or imported; `onName` does it and rejects with the problem. */
export function NameDialog({
  title,
  name: first,
  verb,
  taken,
  onName,
  onClose,
}: {
  title: string
  name: string
  verb: string
  taken: readonly string[]
  onName: (name: string) => Promise<void>
  onClose: () => void
}) {
  const [name, setName] = useState(first)
  const problem = nameProblem(name, taken)
  const act = useAction(() => onName(name))
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!problem) void act.run()
        }}
      >
        <Field label="Name" error={problem} hint="Explorations and the command name the fleet by it.">
          {(control) => (
            <input
              {...control}
              className={inputClass}
              autoComplete="off"
              autoFocus
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <ProblemNote problem={act.problem} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={act.busy} disabled={problem !== undefined}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Says what was made with a fleet, and deletes it. */
export function DeleteDialog({
  project,
  name,
  hash,
  onDeleted,
  onClose,
}: {
  project: string
  name: string
  /** Hash of the fleet as it is shown; absent when its file cannot be read. */
  hash: string | undefined
  onDeleted: () => void
  onClose: () => void
}) {
  const explorations = useLoad(
    (signal) => api.listExplorations(project, { limit: MAX_LOOKED_AT }, signal),
    [project],
  )
  const uses = explorations.data?.filter((job) => job.request.fleet === name).length
  const remove = useAction(async () => {
    await api.deleteProjectFleet(project, name, hash)
    storeDraft(project, name, undefined)
    onDeleted()
  })
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        <p>
          {uses === undefined
            ? 'Looking for explorations on it …'
            : uses === 0
              ? 'No exploration was made on it.'
              : `${format.count(uses, 'exploration')} made on it: each keeps its copy and stays as it is.`}
        </p>
        <p>A placement on one of its device classes becomes an error, unless another fleet has the class.</p>
        <ProblemNote problem={remove.problem ?? explorations.problem} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={remove.busy} onClick={() => void remove.run()}>
            Delete
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
