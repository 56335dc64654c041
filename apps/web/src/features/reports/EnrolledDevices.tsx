import type { ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { useLoad } from '../../api/useLoad.ts'

/** Enrolled devices to deploy to, instead of agents of this machine; nothing where none is enrolled. */
export function EnrolledDevices(choice: {
  chosen: readonly string[]
  onChoose: (devices: string[]) => void
}) {
  return (
    <DeviceChoice
      legend="Enrolled devices, instead of agents on this machine"
      lead="or on"
      testId="enrolled-devices"
      {...choice}
    />
  )
}

/** Enrolled devices to choose from, as one group of fields; nothing where there is none to choose or to take back. */
export function DeviceChoice({
  legend,
  lead,
  chosen,
  taken = [],
  onChoose,
  testId,
}: {
  /** What they are chosen for, for those who do not see the line. */
  legend: string
  /** What is written before them. */
  lead: ReactNode
  chosen: readonly string[]
  /** Devices that are chosen for something else. */
  taken?: readonly string[]
  onChoose: (devices: string[]) => void
  testId: string
}) {
  const devices = useLoad((signal) => api.listDevices(signal), [])
  if (!devices.data) return null
  const enrolled = devices.data.filter((each) => each.enrolled)
  const offered = [
    ...enrolled
      .filter(({ id }) => !taken.includes(id))
      .map(({ id, class: of, state }) => ({
        id,
        title: `${of}, ${state}`,
        note: state === 'online' ? '' : ' (not connected)',
      })),
    // what was chosen before is there to be taken back
    ...chosen
      .filter((id) => enrolled.every((each) => each.id !== id))
      .map((id) => ({ id, title: 'Enrol it again, or go on without it.', note: ' (no longer enrolled)' })),
  ]
  if (offered.length === 0) return null
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted" data-testid={testId}>
      <legend className="sr-only">{legend}</legend>
      <span aria-hidden="true">{lead}</span>
      {offered.map(({ id, title, note }) => (
        <label key={id} className="flex items-center gap-1.5" title={title}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={(event) =>
              onChoose(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
            }
          />
          <span>
            {id}
            {note}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
