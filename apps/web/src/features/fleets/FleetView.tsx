import { type Fleet, fleetFile } from '@hivemind/swarm'
import { Compass, Copy, Download, Pencil, Trash2 } from 'lucide-react'
import { Link } from 'react-router'
import { api } from '../../api/client.ts'
import type { FleetSummary } from '../../api/types.ts'
import { useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { download } from '../reports/download.ts'
import { textOf } from './draft.ts'
import { FleetEditor } from './FleetEditor.tsx'
import { ShippedFleet } from './ShippedFleet.tsx'

/** What the screen asks for in a dialog. */
export type FleetTask =
  | { kind: 'new' }
  | { kind: 'copy' | 'import'; fleet: Fleet }
  | { kind: 'rename'; fleet: Fleet; hash: string }
  | { kind: 'delete'; name: string; hash: string | undefined }

/** One fleet: a form when it is the project's own, and to look at when it ships with HiveMind. */
export function FleetView({
  project,
  name,
  summary,
  onTask,
  onSaved,
}: {
  project: string
  name: string
  /** From the list; `undefined` when there is no such fleet. */
  summary: FleetSummary | undefined
  onTask: (task: FleetTask) => void
  onSaved: () => void
}) {
  const isUsable = summary !== undefined && summary.problem === undefined
  const found = useLoad(
    (signal) => (isUsable ? api.findProjectFleet(project, name, signal) : undefined),
    [project, name, isUsable],
  )
  if (summary?.problem)
    return (
      <Panel title={name}>
        <p role="alert" className="text-sm text-danger">
          {summary.problem}
        </p>
        <Button
          className="self-start"
          look="danger"
          onClick={() => onTask({ kind: 'delete', name, hash: undefined })}
        >
          <Trash2 className="size-4" aria-hidden="true" />
          Delete
        </Button>
      </Panel>
    )
  if (found.problem) return <ProblemNote problem={found.problem} retry={found.reload} />
  if (!found.data)
    return found.loading && summary ? (
      <Waiting what="Loading the fleet" />
    ) : (
      <Panel title={name}>
        <Nothing title={`There is no fleet '${name}'`}>
          It was deleted or renamed. Explorations that were made on it keep their copy.
        </Nothing>
      </Panel>
    )
  const { fleet, hash } = found.data
  const shared = (current: Fleet, isValid: boolean) => (
    <>
      <Button disabled={!isValid} onClick={() => onTask({ kind: 'copy', fleet: current })}>
        <Copy className="size-4" aria-hidden="true" />
        Copy
      </Button>
      <Button
        data-testid="export-fleet"
        disabled={!isValid}
        onClick={() => download(fleetFile(current.name), 'application/json', textOf(current))}
      >
        <Download className="size-4" aria-hidden="true" />
        Export
      </Button>
    </>
  )
  const explore = (
    <Link
      to={`../explore?fleet=${name}`}
      data-testid="explore-fleet"
      className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong px-3 text-sm font-medium hover:bg-sunken"
    >
      <Compass className="size-4" aria-hidden="true" />
      Explore on it
    </Link>
  )
  if (hash === undefined)
    return (
      <ShippedFleet
        fleet={fleet}
        actions={
          <>
            {shared(fleet, true)}
            {explore}
          </>
        }
      />
    )
  return (
    <FleetEditor
      project={project}
      saved={{ fleet, hash }}
      onSaved={(saved) => {
        found.set(saved)
        onSaved()
      }}
      actions={(current, isSaved, isValid) => (
        <>
          {shared(current, isValid)}
          <Button
            disabled={!isSaved}
            title={isSaved ? undefined : 'Save or discard the changes first'}
            onClick={() => onTask({ kind: 'rename', fleet, hash })}
          >
            <Pencil className="size-4" aria-hidden="true" />
            Rename
          </Button>
          <Button onClick={() => onTask({ kind: 'delete', name, hash })}>
            <Trash2 className="size-4" aria-hidden="true" />
            Delete
          </Button>
          {isSaved && explore}
        </>
      )}
    />
  )
}
