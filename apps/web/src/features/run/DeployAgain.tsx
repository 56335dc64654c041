import { Rocket } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../api/client.ts'
import type { DeploymentChange, DeploymentRecord } from '../../api/types.ts'
import { useAction, useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { CountField, inputClass, wholeNumber } from '../../ui/fields.tsx'
import { EnrolledDevices } from '../reports/EnrolledDevices.tsx'
import { PlannedChanges, usePlannedChanges } from '../reports/PlannedChanges.tsx'
import { replaces } from '../reports/plannedChanges.ts'
import { TargetSelect } from '../reports/TargetSelect.tsx'
import { useEdgeNodes } from '../reports/useEdgeNodes.tsx'
import { useHandOver } from '../reports/useHandOver.tsx'
import { agentsText } from './agents.ts'

const isNewFunction = ({ kind, action }: DeploymentChange): boolean =>
  kind === 'function' && action === 'change'

/** Deploys the placement of `deployment` again, with any version, and shows first what that changes. */
export function DeployAgain({
  project,
  deployment,
  running,
  onDeployed,
}: {
  project: string
  deployment: DeploymentRecord
  /** A run of the deployment is under way. */
  running: boolean
  onDeployed: (deployment: DeploymentRecord) => void
}) {
  const { request } = deployment
  const alive = deployment.state === 'ready'
  const [agents, setAgents] = useState(String(request.agents ?? 2))
  const [devices, setDevices] = useState<readonly string[]>(request.devices ?? [])
  const [version, setVersion] = useState(request.version)
  const [beside, setBeside] = useState(false)
  const [target, setTarget] = useState(request.target)
  const [trial, setTrial] = useState(false)
  const versions = useLoad((signal) => api.listVersions(project, { limit: 1_000 }, signal), [project])
  const edgeNodes = useEdgeNodes(request.placement, devices, request)
  const handOver = useHandOver(request.placement, request.handOver)
  const number = wholeNumber(agents, 1, 64)
  const elsewhere = target !== request.target
  const { placement, exploration, candidate, classes } = request
  const next =
    number === undefined || !edgeNodes.given
      ? undefined
      : {
          version,
          placement,
          agents: number,
          ...edgeNodes.given,
          beside: alive && beside && !elsewhere,
          ...(target !== undefined && { target }),
          ...handOver.given,
          ...(classes === undefined ? {} : { classes }),
          ...(devices.length === 0 ? {} : { devices: [...devices] }),
          ...(exploration === undefined ? {} : { exploration }),
          ...(candidate === undefined ? {} : { candidate }),
        }
  const plan = usePlannedChanges(project, next, `${deployment.id} ${deployment.state}`)
  const replacing = plan.data !== undefined && replaces(plan.data.changes)
  const triable = alive && !beside && !elsewhere && plan.data?.changes.some(isNewFunction) === true
  const deploy = useAction(async () => {
    if (next)
      onDeployed(await api.createDeployment(project, { ...next, ...(triable && trial && { canary: {} }) }))
  })
  return (
    <form
      className="flex flex-col gap-2 border-t border-line pt-3"
      aria-label="Deploy again"
      onSubmit={(event) => {
        event.preventDefault()
        void deploy.run()
      }}
    >
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <Button
          type="submit"
          look={alive ? 'plain' : 'primary'}
          data-testid="deploy-again"
          busy={deploy.busy}
          disabled={next === undefined}
        >
          {!deploy.busy && <Rocket className="size-4" aria-hidden="true" />}
          {elsewhere && target ? `Promote to ${target}` : 'Deploy again'}
        </Button>
        <select
          className={`${inputClass} w-auto!`}
          aria-label="Version to deploy"
          data-testid="deploy-version"
          value={version}
          onChange={(event) => setVersion(Number(event.target.value))}
        >
          {(versions.data ?? [{ number: version }]).map((one) => (
            <option key={one.number} value={one.number}>
              version {one.number}
            </option>
          ))}
        </select>
        {classes || devices.length > 0 ? (
          <span>with {agentsText({ ...(classes && { classes }), devices: [...devices] })}</span>
        ) : (
          <CountField
            label="Number of edge agents"
            before="with"
            unit="edge agents"
            value={agents}
            onChange={setAgents}
            max={64}
            testId="deploy-agents"
          />
        )}
        {edgeNodes.field}
        <TargetSelect chosen={target} onChoose={setTarget} />
        {handOver.field}
        <span>
          or{' '}
          <Link className="underline" to={`/projects/${project}/explore`}>
            choose another candidate
          </Link>
        </span>
      </div>
      <EnrolledDevices chosen={devices} onChoose={setDevices} />
      {edgeNodes.machines}
      {alive && !elsewhere && (
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            data-testid="deploy-beside"
            checked={beside}
            onChange={(event) => setBeside(event.target.checked)}
          />
          Keep what is running, and deploy beside it
        </label>
      )}
      {triable && (
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            data-testid="deploy-canary"
            checked={trial}
            onChange={(event) => setTrial(event.target.checked)}
          />
          Try its functions on 10 % of the calls first, and revert them when they do worse
        </label>
      )}
      {number === undefined && (
        <p className="text-xs text-danger">Enter a whole number of edge agents from 1 to 64.</p>
      )}
      <ProblemNote problem={deploy.problem} />
      <PlannedChanges plan={plan} />
      {replacing && (
        <p className="text-xs text-muted">
          The running deployment serves until the new one is ready.
          {running && ' The run that is under way ends then.'}
        </p>
      )}
    </form>
  )
}
