import { api } from '../../api/client.ts'
import type { Exploration, FleetSummary } from '../../api/types.ts'
import { useLoad } from '../../api/useLoad.ts'
import { fleetChange } from './fleetChange.ts'

/** Says when the fleet of an exploration is gone or was changed since: the figures are of the copy that it keeps. */
export function FleetNote({
  project,
  result: { inputs },
  fleets,
}: {
  project: string
  result: Exploration
  fleets: readonly FleetSummary[]
}) {
  const { fleet: name } = inputs
  const isThere = fleets.some((one) => one.name === name && one.problem === undefined)
  const now = useLoad(
    (signal) => (isThere ? api.findProjectFleet(project, name, signal) : undefined),
    [project, name, isThere, fleets],
  )
  const change = now.loading || now.problem ? undefined : fleetChange(inputs, now.data?.fleet)
  if (!change) return null
  return (
    <p
      role="status"
      data-testid="fleet-note"
      className="rounded-md border border-line-strong bg-warn-soft px-3 py-2 text-sm text-warn"
    >
      {change}
    </p>
  )
}
