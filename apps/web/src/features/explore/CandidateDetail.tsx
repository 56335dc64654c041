import type { Workflow } from '@hivemind/workflow'
import { Rocket } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../api/client.ts'
import type { Candidate, ExplorationJob, Layout } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, ProblemNote } from '../../ui/feedback.tsx'
import { CountField, wholeNumber } from '../../ui/fields.tsx'
import { BreakdownTable } from '../reports/BreakdownBars.tsx'
import { EnrolledDevices } from '../reports/EnrolledDevices.tsx'
import * as format from '../reports/format.ts'
import { PlannedChanges, usePlannedChanges } from '../reports/PlannedChanges.tsx'
import { TargetSelect } from '../reports/TargetSelect.tsx'
import { useEdgeNodes } from '../reports/useEdgeNodes.tsx'
import { useHandOver } from '../reports/useHandOver.tsx'
import { assumedTasks } from './assumed.ts'
import { useCandidateName } from './CandidateNames.tsx'
import { breakdownData } from './candidates.ts'
import { Figure } from './charts/Figure.tsx'
import { MethodBadge } from './MethodBadge.tsx'
import { metrics, tableMetrics } from './metrics.ts'
import { capitalised } from './names.ts'
import { PlacementCanvas } from './trial/PlacementCanvas.tsx'
import type { Scenario } from './whatif/knobs.ts'

/** Details of the selected candidate: estimate, placement on the workflow, latency breakdown, and deployment. */
export function CandidateDetail({
  project,
  job,
  candidate,
  workflow,
  layout,
  tasks,
  scenario,
  candidates,
  onSelect,
}: {
  project: string
  job: ExplorationJob
  candidate: Candidate
  workflow: Workflow | null
  layout: Layout | undefined
  tasks: readonly string[]
  scenario: Scenario | null | undefined
  candidates: readonly Candidate[]
  onSelect: (id: string) => void
}) {
  const { estimate } = candidate
  const nameOf = useCandidateName()
  const name = nameOf(candidate)
  const assumed = new Set(job.result ? assumedTasks(job.result.inputs.profile) : [])
  const rows = (tasks.length > 0 ? tasks : Object.keys(estimate.perTask)).flatMap((task) => {
    const own = estimate.perTask[task]
    return own ? [{ task, tier: own.tier, breakdown: own.breakdown, assumed: assumed.has(task) }] : []
  })
  return (
    <>
      <div className="flex flex-wrap items-center gap-1.5">
        <span
          className="text-sm font-semibold"
          data-testid="candidate-name"
          title={`Candidate ${candidate.id}`}
        >
          {capitalised(name)}
        </span>
        <span className="font-mono text-xs text-muted">{candidate.id}</span>
        {candidate.baseline && <Badge>{candidate.baseline}</Badge>}
        {candidate.pareto && (
          <Badge
            tone="accent"
            title="No other candidate is at least as good in latency, energy, bandwidth and cost, and better in one"
          >
            on the front
          </Badge>
        )}
        <Badge tone={candidate.meets ? 'ok' : 'danger'}>
          {candidate.meets ? 'meets the constraints' : 'violates a constraint'}
        </Badge>
        {candidate.method && (
          <MethodBadge method={candidate.method === 'simulated' ? 'simulated' : 'quick'} />
        )}
      </div>
      {candidate.violations.length > 0 && (
        <ul className="list-disc pl-5 text-sm text-danger">
          {candidate.violations.map((violation) => (
            <li key={violation.key}>{violation.message}</li>
          ))}
        </ul>
      )}
      <Confidence candidate={candidate} />
      <Deploy project={project} job={job} candidate={candidate} />
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(7.75rem,1fr))] gap-x-3 gap-y-1 text-sm">
        {tableMetrics.map((id) => (
          <div key={id} className="min-w-0">
            <dt className="truncate text-xs text-muted" title={metrics[id].label}>
              {metrics[id].label}
            </dt>
            <dd className="font-medium tabular-nums">{metrics[id].print(metrics[id].of(estimate))}</dd>
          </div>
        ))}
        {estimate.edgeNodes && (
          <>
            <div className="min-w-0">
              <dt className="truncate text-xs text-muted">Edge nodes busy</dt>
              <dd className="font-medium tabular-nums">{format.share(estimate.edgeNodes.busyShare)}</dd>
            </div>
            <div className="min-w-0">
              <dt className="truncate text-xs text-muted">Energy per edge node</dt>
              <dd className="font-medium tabular-nums">{format.energy(estimate.edgeNodes.energyJ)}</dd>
            </div>
          </>
        )}
      </dl>
      {workflow && (
        <PlacementCanvas
          key={job.id}
          scenario={scenario}
          workflow={workflow}
          layout={layout}
          candidates={candidates}
          selected={candidate}
          onSelect={onSelect}
        />
      )}
      <div data-testid="breakdown">
        <Figure title="Latency breakdown" data={breakdownData(candidate.id, estimate.breakdown, rows)}>
          <BreakdownTable
            caption="Latency by part, for the whole workflow and for each task"
            whole={estimate.breakdown}
            rows={rows}
          />
        </Figure>
      </div>
    </>
  )
}

/** Confidence interval of the p99 latency, and the candidates on the front whose p99 cannot be told apart from it. */
function Confidence({ candidate: { p99IntervalMs: interval, tiedWith } }: { candidate: Candidate }) {
  const nameOf = useCandidateName()
  if (!interval) return null
  const { print } = metrics.p99
  return (
    <p className="text-xs text-muted" data-testid="confidence">
      Means of five simulated runs. p99 is between {print(interval.low)} and {print(interval.high)} with 95%
      confidence.
      {tiedWith &&
        tiedWith.length > 0 &&
        ` Its p99 cannot be told apart from that of ${tiedWith.map((id) => nameOf({ id })).join('; ')}.`}
    </p>
  )
}

function Deploy({ project, job, candidate }: { project: string; job: ExplorationJob; candidate: Candidate }) {
  const [agents, setAgents] = useState('2')
  const [devices, setDevices] = useState<readonly string[]>([])
  const [target, setTarget] = useState<string>()
  const navigate = useNavigate()
  const edgeNodes = useEdgeNodes(candidate.placement, devices)
  const handOver = useHandOver(candidate.placement, job.result?.inputs.handOver)
  const number = wholeNumber(agents, 1, 64)
  const request =
    number === undefined || !edgeNodes.given
      ? undefined
      : {
          version: job.request.version,
          placement: candidate.placement,
          exploration: job.id,
          candidate: candidate.id,
          agents: number,
          ...edgeNodes.given,
          ...(target !== undefined && { target }),
          ...handOver.given,
          ...(devices.length === 0 ? {} : { devices: [...devices] }),
        }
  const plan = usePlannedChanges(project, request)
  const deploy = useAction(async () => {
    if (!request) return
    const deployment = await api.createDeployment(project, request)
    await navigate(`/projects/${project}/run?deployment=${deployment.id}`)
  })
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <Button
          look="primary"
          data-testid="deploy-candidate"
          busy={deploy.busy}
          disabled={request === undefined}
          onClick={() => void deploy.run()}
        >
          {!deploy.busy && <Rocket className="size-4" aria-hidden="true" />}
          Deploy candidate
        </Button>
        <CountField
          className={`gap-2 text-muted ${devices.length > 0 ? 'hidden' : ''}`}
          label="Number of edge agents"
          before="on this machine, with"
          unit="edge agents"
          value={agents}
          onChange={setAgents}
          max={64}
        />
        {edgeNodes.field}
        <TargetSelect chosen={target} onChoose={setTarget} />
        {handOver.field}
      </div>
      <EnrolledDevices chosen={devices} onChoose={setDevices} />
      {edgeNodes.machines}
      {number === undefined && (
        <p className="text-xs text-danger">Enter a whole number of edge agents from 1 to 64.</p>
      )}
      {plan.data && <PlannedChanges plan={plan} />}
      <ProblemNote problem={deploy.problem} retry={() => void deploy.run()} />
    </div>
  )
}
