import { Link } from 'react-router'
import { api } from '../../api/client.ts'
import type { DeploymentRecord } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, ProblemNote } from '../../ui/feedback.tsx'
import { inputClass } from '../../ui/fields.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { PlacementChips } from '../reports/TierChip.tsx'
import { agentsText } from './agents.ts'
import { DeployAgain } from './DeployAgain.tsx'
import { ResourceTable, stateTone } from './ResourceTable.tsx'
import { TrialNote } from './TrialNote.tsx'
import { isTrial, trialOn } from './trial.ts'

/** The selected deployment: its placement, its processes, and buttons to undeploy it or deploy it again. */
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
  /** Whether a run of it is under way. Undeploying ends that run. */
  running: boolean
  onChanged: (deployment: DeploymentRecord) => void
  onShow: (deployment: string) => void
}) {
  const alive = deployment.state === 'ready' || deployment.state === 'starting'
  const undeploy = useAction(async () => onChanged(await api.undeploy(deployment.id)))
  const trial = trialOn(deployment, deployments)
  const ready = deployment.resources.filter((resource) => resource.state === 'ready').length
  /** Whether what is ready to run is so with all its parts. */
  const isWhole =
    deployment.state !== 'ready' || deployment.resources.every((resource) => resource.state !== 'failed')

  return (
    <Panel
      title="Deployment"
      term="deployment"
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
                  {format.instant(one.createdAt)}
                  {one.request.target && `, ${one.request.target}`}, {one.state}
                </option>
              ))}
            </select>
          )}
          {alive && (
            <Button
              look="danger"
              data-testid="undeploy"
              busy={undeploy.busy}
              title={running ? 'This ends the run that is under way' : undefined}
              onClick={() => void undeploy.run()}
            >
              Undeploy
            </Button>
          )}
        </span>
      }
    >
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={isWhole ? stateTone[deployment.state] : 'warn'}>{deployment.state}</Badge>
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
          , {agentsText(deployment.request)}
          {deployment.request.target && <>, cloud on {deployment.request.target}</>}
        </span>
        <PlacementChips placement={deployment.request.placement} tasks={tasks} />
      </div>
      {deployment.message && (
        <p
          role="status"
          className={`text-sm break-words ${deployment.state === 'failed' || !isWhole ? 'text-danger' : 'text-muted'}`}
        >
          {deployment.message}
        </p>
      )}
      <ProblemNote problem={undeploy.problem} />
      {trial && deployment.state === 'ready' && <TrialNote trial={trial} onChanged={onChanged} />}
      {deployment.resources.length > 0 && (
        <details open={deployment.state !== 'stopped'}>
          <summary className="cursor-pointer text-sm text-muted">
            {format.count(deployment.resources.length, 'process', 'processes')}, {ready} ready
          </summary>
          <ResourceTable deployment={deployment} />
        </details>
      )}
      {deployment.state !== 'starting' && (
        <DeployAgain
          project={project}
          deployment={deployment}
          running={running}
          onDeployed={(next) => {
            onChanged(next)
            // One that is tried takes calls of this one, which is to be run meanwhile.
            if (!isTrial(next)) onShow(next.id)
          }}
        />
      )}
    </Panel>
  )
}
