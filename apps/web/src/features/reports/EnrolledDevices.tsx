import { api } from '../../api/client.ts'
import { useLoad } from '../../api/useLoad.ts'

/** Enrolled devices to deploy to, instead of agents of this machine; nothing where none is enrolled. */
export function EnrolledDevices({
  chosen,
  onChoose,
}: {
  chosen: readonly string[]
  onChoose: (devices: string[]) => void
}) {
  const devices = useLoad((signal) => api.listDevices(signal), [])
  const enrolled = (devices.data ?? []).filter((device) => device.enrolled)
  if (enrolled.length === 0) return null
  return (
    <fieldset
      className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted"
      data-testid="enrolled-devices"
    >
      <legend className="sr-only">Enrolled devices, instead of agents on this machine</legend>
      <span aria-hidden="true">or on</span>
      {enrolled.map(({ id, class: of, state }) => (
        <label key={id} className="flex items-center gap-1.5" title={`${of}, ${state}`}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={(event) =>
              onChoose(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
            }
          />
          <span>
            {id}
            {state !== 'online' && ' (not connected)'}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
