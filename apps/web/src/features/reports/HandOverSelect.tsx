import { DEPLOYABLE_HAND_OVERS, type DeployableHandOver, type Placement } from '@hivemind/swarm'
import { inputClass } from '../../ui/fields.tsx'
import { Term } from '../../words/Term.tsx'
import { handOverLabels } from '../explore/handOver.ts'

/** How the cloud functions of a deployment hand data over; nothing where fewer than two tasks are in the cloud. */
export function HandOverSelect({
  placement,
  chosen,
  onChoose,
}: {
  placement: Placement
  chosen: DeployableHandOver
  onChoose: (handOver: DeployableHandOver) => void
}) {
  if (Object.values(placement).filter((tier) => tier === 'cloud').length < 2) return null
  return (
    <div className="flex items-center gap-2 text-sm text-muted">
      <Term of="betweenFunctions">data between functions</Term>
      <select
        className={`${inputClass} w-auto!`}
        aria-label="Data between functions"
        data-testid="deploy-hand-over"
        value={chosen}
        onChange={(event) => onChoose(event.target.value as DeployableHandOver)}
      >
        {DEPLOYABLE_HAND_OVERS.map((kind) => (
          <option key={kind} value={kind}>
            {handOverLabels[kind].toLowerCase()}
          </option>
        ))}
      </select>
    </div>
  )
}
