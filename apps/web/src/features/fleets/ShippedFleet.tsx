import type { Fleet } from '@hivemind/swarm'
import type { ReactNode } from 'react'
import { Panel } from '../../ui/Panel.tsx'
import { valueAt } from './draft.ts'
import { FleetFormContext } from './FleetFields.tsx'
import { FleetPicture } from './FleetPicture.tsx'
import { FleetSections } from './FleetSections.tsx'

/** A fleet that ships with HiveMind: to look at and to copy. */
export function ShippedFleet({ fleet, actions }: { fleet: Fleet; actions: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Panel title={fleet.name}>
        <p className="text-sm text-muted">This fleet ships with HiveMind. Copy it to change it.</p>
        <div className="flex flex-wrap gap-2">{actions}</div>
      </Panel>
      <FleetPicture fleet={fleet} />
      <FleetFormContext
        value={{ value: (path) => valueAt(fleet, path), fault: () => undefined, set: () => undefined }}
      >
        <fieldset disabled className="flex min-w-0 flex-col gap-3">
          <legend className="sr-only">Figures of {fleet.name}</legend>
          <FleetSections fleet={fleet} />
        </fieldset>
      </FleetFormContext>
    </div>
  )
}
