import { api } from '../../api/client.ts'
import { useLoad } from '../../api/useLoad.ts'
import { inputClass } from '../../ui/fields.tsx'

/** What the usual target of the service is called, by its kind. */
const USUAL: Record<string, string> = { local: 'this machine', knative: 'Knative' }

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
  const health = useLoad((signal) => api.health(signal), [])
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
        <option value="">{USUAL[health.data?.target ?? ''] ?? 'the usual target'}</option>
        {options.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
