import { Rocket } from 'lucide-react'
import { Link } from 'react-router'
import { api } from '../../api/client.ts'
import { useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Nothing, ProblemNote } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { pick } from '../explore/candidates.ts'
import { metrics } from '../explore/metrics.ts'
import { capitalised, namesOf } from '../explore/names.ts'
import type { Redeploy } from './useRedeploy.ts'

/** As many agents as the Explore screen begins with. */
const AGENTS = 2

/** The fastest placement of the newest exploration that has a result and one that meets the constraints. */
async function fastest(project: string, signal: AbortSignal) {
  const jobs = await api.listExplorations(project, {}, signal)
  const newest = jobs.find(({ job }) => job.state === 'done')
  if (!newest) return null
  const { request, result } = await api.getExploration(newest.id, signal)
  const candidate = result && pick(result.candidates, 'latency')
  if (!candidate) return null
  const { id: exploration } = newest
  const { version } = request
  return {
    request: {
      version,
      exploration,
      candidate: candidate.id,
      placement: candidate.placement,
      agents: AGENTS,
    },
    name: capitalised(namesOf(result.candidates).get(candidate.id) ?? candidate.id),
    p99: metrics.p99.print(metrics.p99.of(candidate.estimate)),
  }
}

/** What is there before anything is deployed: the fastest placement that is known, in one click, or where to find one. */
export function FirstDeployment({
  project,
  place,
  redeploy,
}: {
  project: string
  /** A sentence on where the tasks run. */
  place: string
  redeploy: Redeploy
}) {
  const found = useLoad((signal) => fastest(project, signal), [project])
  const explore = (
    <Link className="underline" to={`/projects/${project}/explore`}>
      {found.data ? 'choose another one' : 'Explore the placements'}
    </Link>
  )
  return (
    <Panel title="Deployment" term="deployment">
      <Nothing title="Nothing deployed yet">
        {found.data ? (
          <div className="flex flex-col items-center gap-3" data-testid="fastest">
            <p>
              {found.data.name}: the fastest placement that was explored of version{' '}
              {found.data.request.version}, with a p99 of {found.data.p99}. {place}
            </p>
            <Button
              look="primary"
              busy={redeploy.busy}
              data-testid="deploy-fastest"
              onClick={() => found.data && redeploy.deploy(found.data.request, { inputs: {} })}
            >
              {!redeploy.busy && <Rocket className="size-4" aria-hidden="true" />}
              Deploy it and run
            </Button>
            <p>or {explore}</p>
          </div>
        ) : (
          <p>
            {explore}, select a candidate and deploy it. {place}
          </p>
        )}
        <ProblemNote problem={found.problem ?? redeploy.problem} retry={found.reload} />
      </Nothing>
    </Panel>
  )
}
