import {
  DEPLOYABLE_HAND_OVERS,
  type DeployableHandOver,
  type HandOverKind,
  isDeployable,
} from '@hivemind/swarm'
import { type ReactNode, useState } from 'react'
import type { NewDeployment } from '../../api/types.ts'
import { inputClass } from '../../ui/fields.tsx'
import { Term } from '../../words/Term.tsx'
import { handOverLabels } from '../explore/handOver.ts'

/**
 * How the cloud functions of a deployment hand data over: `field` asks for it, and `given` is what is sent. There is nothing to ask where
 * fewer than two tasks are in the cloud.
 * @param first what is chosen at first, where it can be deployed
 */
export function useHandOver(
  placement: NewDeployment['placement'],
  first: HandOverKind = 'store',
): { field: ReactNode; given: Pick<NewDeployment, 'handOver'> } {
  const [chosen, setChosen] = useState<DeployableHandOver>(isDeployable(first) ? first : 'store')
  if (Object.values(placement).filter((tier) => tier === 'cloud').length < 2)
    return { field: null, given: {} }
  const field = (
    <div className="flex items-center gap-2 text-sm text-muted">
      <Term of="betweenFunctions">data between functions</Term>
      <select
        className={`${inputClass} w-auto!`}
        aria-label="Data between functions"
        data-testid="deploy-hand-over"
        value={chosen}
        onChange={(event) => setChosen(event.target.value as DeployableHandOver)}
      >
        {DEPLOYABLE_HAND_OVERS.map((kind) => (
          <option key={kind} value={kind}>
            {handOverLabels[kind].toLowerCase()}
          </option>
        ))}
      </select>
    </div>
  )
  return { field, given: chosen === 'store' ? {} : { handOver: chosen } }
}
