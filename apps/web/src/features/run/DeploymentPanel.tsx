import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../api/client.ts'
import type { DeploymentRecord, DeploymentResource } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, ProblemNote } from '../../ui/feedback.tsx'
import { inputClass, wholeNumber } from '../../ui/fields.tsx'
import { Panel, Scroll } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { PlacementChips } from '../reports/TierChip.tsx'

export const stateTone = {
  starting: 'accent',
  ready: 'ok',
  failed: 'danger',
  stopped: 'muted',
} as const satisfies Record<DeploymentRecord['state'], string>

const kindLabel: Record<DeploymentResource['kind'], string> = {
  function: 'Cloud function',
  agent: 'Edge agent',
}

/** The deployment at hand: what was placed where, its processes, undeploy, and deploying it once more. */
export function DeploymentPanel({
  project,
  deployment,
  deployments,
  tasks,
  running,
  onChanged,
  onShow,
}: {
  project: string
  deployment: DeploymentRecord
  deployments: readonly DeploymentRecord[]
  tasks: readonly string[]
  /** A run goes on: undeploying would end it. */
  running: boolean
  onChanged: (deployment: DeploymentRecord) => void
  onShow: (deployment: string) => void
}) {
  const alive = deployment.state === 'ready' || deployment.state === 'starting'
  const [agents, setAgents] = useState(String(deployment.request.agents ?? 2))
  const number = wholeNumber(agents, 1, 64)
  const undeploy = useAction(async () => onChanged(await api.undeploy(deployment.id)))
  const again = useAction(async () => {
    if (number === undefined) return
    const { version, placement, exploration, candidate } = deployment.request
    const next = await api.createDeployment(project, {
      version,
      placement,
      agents: number,
      ...(exploration === undefined ? {} : { exploration }),
      ...(candidate === undefined ? {} : { candidate }),
    })
    onChanged(next)
    onShow(next.id)
  })
  const ready = deployment.resources.filter((resource) => resource.state === 'ready').length

  return (
    <Panel
      title="Deployment"
      actions={
        <span className="flex items-center gap-2">
          {deployments.length > 1 && (
            <select
              className={`${inputClass} max-w-56`}
              aria-label="Deployment to show"
              value={deployment.id}
              onChange={(event) => onShow(event.target.value)}
            >
              {deployments.map((one) => (
                <option key={one.id} value={one.id}>
                  {format.instant(one.createdAt)}, {one.state}
                </option>
              ))}
            </select>
          )}
          {alive && (
            <Button
              look="danger"
              data-testid="undeploy"
              busy={undeploy.busy}
              title={running ? 'This ends the run that goes on' : undefined}
              onClick={() => void undeploy.run()}
            >
              Undeploy
            </Button>
          )}
        </span>
      }
    >
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={stateTone[deployment.state]}>{deployment.state}</Badge>
        <span>
          version {deployment.request.version}
          {deployment.request.candidate && deployment.request.exploration && (
            <>
              ,{' '}
              <Link
                className="underline"
                to={`/projects/${project}/explore?exploration=${deployment.request.exploration}&candidate=${encodeURIComponent(deployment.request.candidate)}`}
              >
                candidate {deployment.request.candidate}
              </Link>
            </>
          )}
          , {format.count(deployment.request.agents ?? 2, 'edge agent')}
        </span>
        <PlacementChips placement={deployment.request.placement} tasks={tasks} />
      </div>
      {deployment.message && (
        <p
          role="status"
          className={`text-sm break-words ${deployment.state === 'failed' ? 'text-danger' : 'text-muted'}`}
        >
          {deployment.message}
        </p>
      )}
      <ProblemNote problem={undeploy.problem ?? again.problem} />
      {deployment.resources.length > 0 && (
        <details open={deployment.state !== 'stopped'}>
          <summary className="cursor-pointer text-sm text-muted">
            {format.count(deployment.resources.length, 'process', 'processes')}, {ready} ready
          </summary>
          <Scroll className="mt-1 max-h-52 overflow-auto" label="Processes of the deployment">
            <table className="w-full border-collapse text-[13px]">
              <thead className="text-left text-xs text-muted">
                <tr>
                  <th scope="col" className="py-1 pr-3 font-medium">
                    Name
                  </th>
                  <th scope="col" className="py-1 pr-3 font-medium">
                    Kind
                  </th>
                  <th scope="col" className="py-1 pr-3 font-medium">
                    State
                  </th>
                  <th scope="col" className="py-1 text-right font-medium">
                    Process id
                  </th>
                </tr>
              </thead>
              <tbody>
                {deployment.resources.map((resource) => (
                  <tr key={`${resource.kind} ${resource.name}`} className="border-t border-line align-top">
                    <th scope="row" className="py-1 pr-3 text-left font-normal break-all">
                      {resource.name}
                    </th>
                    <td className="py-1 pr-3 whitespace-nowrap">{kindLabel[resource.kind]}</td>
                    <td className="py-1 pr-3">
                      <Badge tone={stateTone[resource.state]}>{resource.state}</Badge>
                      {resource.message && <p className="text-xs text-muted">{resource.message}</p>}
                    </td>
                    <td className="py-1 text-right tabular-nums">{resource.pid ?? '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </details>
      )}
      {!alive && (
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <Button
            look="primary"
            data-testid="deploy-again"
            busy={again.busy}
            disabled={number === undefined}
            onClick={() => void again.run()}
          >
            Deploy again
          </Button>
          <label className="flex items-center gap-2 text-muted">
            with
            <input
              className={`${inputClass} w-14!`}
              inputMode="numeric"
              aria-label="Number of edge agents"
              aria-invalid={number === undefined}
              value={agents}
              onChange={(event) => setAgents(event.target.value)}
            />
            edge agents, or
            <Link className="underline" to={`/projects/${project}/explore`}>
              choose another candidate
            </Link>
          </label>
        </div>
      )}
    </Panel>
  )
}
