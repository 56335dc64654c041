import { FileUp, Plus } from 'lucide-react'
import { useRef } from 'react'
import { Link } from 'react-router'
import type { FleetSummary } from '../../api/types.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { readDraft } from './draft.ts'

/** The fleets of a project: those of its own first. */
export function FleetList({
  project,
  fleets,
  shown,
  onNew,
  onFile,
}: {
  project: string
  fleets: readonly FleetSummary[]
  shown: string | undefined
  onNew: () => void
  onFile: (file: File) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const own = fleets.filter((fleet) => fleet.own)
  const entry = (fleet: FleetSummary) => (
    <li key={fleet.name}>
      <Link
        to={`?fleet=${fleet.name}`}
        aria-current={fleet.name === shown ? 'page' : undefined}
        data-testid={`fleet-${fleet.name}`}
        className="flex flex-col rounded-md px-2 py-1.5 hover:bg-sunken aria-[current=page]:bg-accent-soft"
      >
        <span className="flex flex-wrap items-center gap-1.5 text-sm font-medium break-all">
          {fleet.name}
          {fleet.own && readDraft(project, fleet.name) && <Badge tone="warn">Unsaved</Badge>}
        </span>
        <span className={`text-xs break-words ${fleet.problem ? 'text-danger' : 'text-muted'}`}>
          {fleet.problem
            ? 'Cannot be used'
            : `${format.count(fleet.devices, 'device')}: ${fleet.classes.join(', ')}`}
        </span>
      </Link>
    </li>
  )
  return (
    <Panel
      title="Fleets"
      testId="fleets"
      actions={
        <span className="flex gap-2">
          <Button data-testid="new-fleet" onClick={onNew}>
            <Plus className="size-4" aria-hidden="true" />
            New
          </Button>
          <Button onClick={() => input.current?.click()}>
            <FileUp className="size-4" aria-hidden="true" />
            Import
          </Button>
        </span>
      }
    >
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        className="sr-only"
        tabIndex={-1}
        aria-label="File of a fleet"
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) onFile(file)
        }}
      />
      <h3 className="text-xs font-semibold text-muted">Of this project</h3>
      {own.length === 0 ? (
        <p className="text-sm text-muted">
          None yet. Copy one that ships with HiveMind, make a new one, or import a file: choose it, or drop it
          on this page.
        </p>
      ) : (
        <ul>{own.map(entry)}</ul>
      )}
      <h3 className="text-xs font-semibold text-muted">Ships with HiveMind</h3>
      <ul>{fleets.filter((fleet) => !fleet.own).map(entry)}</ul>
    </Panel>
  )
}
