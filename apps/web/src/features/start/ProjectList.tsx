import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../api/client.ts'
import type { Project } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { Field, inputClass } from '../../ui/fields.tsx'
import { IconButton } from '../../ui/IconButton.tsx'

const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** The user's projects, with dialogs to rename and delete one. */
export function ProjectList({ projects, onChange }: { projects: Project[]; onChange: () => void }) {
  const [renaming, setRenaming] = useState<Project>()
  const [deleting, setDeleting] = useState<Project>()
  return (
    <>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {projects.map((project) => (
          <li
            key={project.id}
            className="flex items-center gap-3 px-4 py-2"
            data-testid={`project-${project.id}`}
          >
            <Link
              to={`/projects/${project.id}`}
              className="min-w-0 flex-1 truncate font-medium hover:underline"
            >
              {project.name}
            </Link>
            <span className="text-xs text-muted">
              version {project.headVersion}, changed {dateTime.format(new Date(project.updatedAt))}
            </span>
            <span className="flex items-center">
              <IconButton label={`Rename ${project.name}`} onClick={() => setRenaming(project)}>
                <Pencil className="size-4" aria-hidden="true" />
              </IconButton>
              <IconButton label={`Delete ${project.name}`} onClick={() => setDeleting(project)}>
                <Trash2 className="size-4 text-danger" aria-hidden="true" />
              </IconButton>
            </span>
          </li>
        ))}
      </ul>
      {renaming && <Rename project={renaming} onClose={() => setRenaming(undefined)} onDone={onChange} />}
      {deleting && <Delete project={deleting} onClose={() => setDeleting(undefined)} onDone={onChange} />}
    </>
  )
}

interface DialogProps {
  project: Project
  onClose: () => void
  onDone: () => void
}

function Rename({ project, onClose, onDone }: DialogProps) {
  const [name, setName] = useState(project.name)
  const rename = useAction(async () => {
    await api.renameProject(project.id, name)
    onClose()
    onDone()
  })
  return (
    <Dialog title={`Rename ${project.name}`} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void rename.run()
        }}
      >
        <Field label="Name">
          {(control) => (
            <input
              {...control}
              className={inputClass}
              value={name}
              maxLength={80}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <ProblemNote problem={rename.problem} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={rename.busy} disabled={name.trim() === ''}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Delete({ project, onClose, onDone }: DialogProps) {
  const remove = useAction(async () => {
    await api.deleteProject(project.id)
    onClose()
    onDone()
  })
  return (
    <Dialog title={`Delete ${project.name}?`} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <p className="text-sm">
          This deletes the project with its versions, files, explorations and runs. It cannot be undone.
        </p>
        <ProblemNote problem={remove.problem} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={remove.busy} onClick={() => void remove.run()}>
            Delete project
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
