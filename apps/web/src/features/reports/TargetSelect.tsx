import { api } from '../../api/client.ts'
import { useLoad } from '../../api/useLoad.ts'
import { inputClass } from '../../ui/fields.tsx'
import { useUsualTarget } from './usualTarget.ts'

/** Which target to deploy to; nothing while there is no choice. */
export function TargetSelect({
  chosen,
  onChoose,
}: {
  /** A target by name; the usual one of the service when absent. */
  chosen: string | undefined
  onChoose: (target: string | undefined) => void
}) {
  const targets = useLoad((signal) => api.listTargets(signal), [])
  const usual = useUsualTarget()
  const names = (targets.data ?? []).map(({ name }) => name)
  const options = chosen === undefined || names.includes(chosen) ? names : [...names, chosen]
  if (options.length === 0) return null
  return (
    <label className="flex items-center gap-2 text-sm text-muted">
      cloud on
      <select
        className={`${inputClass} w-auto!`}
        aria-label="Target"
        data-testid="deploy-target"
        value={chosen ?? ''}
        onChange={(event) => onChoose(event.target.value || undefined)}
      >
        <option value="">{usual}</option>
        {options.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
