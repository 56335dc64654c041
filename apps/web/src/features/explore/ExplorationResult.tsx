import { useCallback, useMemo, useState } from 'react'
import { Link } from 'react-router'
import type { Candidate, Exploration, ExplorationJob } from '../../api/types.ts'
import { Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { useWorkflow } from '../reports/useWorkflow.ts'
import { CandidateDetail } from './CandidateDetail.tsx'
import { CandidateNames } from './CandidateNames.tsx'
import { CandidateTable } from './CandidateTable.tsx'
import { type Goal, pick } from './candidates.ts'
import { DeviceCurves } from './charts/DeviceCurves.tsx'
import { Exportable, Figure } from './charts/Figure.tsx'
import { barsData, FrontBars } from './charts/FrontBars.tsx'
import { ParallelPlot } from './charts/ParallelPlot.tsx'
import { anyRange, isWithin, type Ranges } from './charts/ranges.ts'
import { ComparePanel } from './compare/ComparePanel.tsx'
import { ExportMenu } from './ExportMenu.tsx'
import { handOverLabels } from './handOver.ts'
import { MeasuredPanel } from './measured/MeasuredPanel.tsx'
import { type MetricId, metrics } from './metrics.ts'
import { namesOf } from './names.ts'
import { reasons } from './pruned.ts'
import { RobustPanel } from './robust/RobustPanel.tsx'
import { ScatterPlot } from './ScatterPlot.tsx'
import { createHovered, HoveredContext } from './trial/hovered.ts'
import { VerdictPanel } from './VerdictPanel.tsx'
import { verdictOf } from './verdict.ts'
import { scenarioOf } from './whatif/knobs.ts'
import { Recompute } from './whatif/Recompute.tsx'
import { WhatIfPanel } from './whatif/WhatIfPanel.tsx'
import { WhyPanel } from './why/WhyPanel.tsx'

interface Props {
  project: string
  name: string
  job: ExplorationJob
  result: Exploration
  selected: string | undefined
  onSelect: (id: string) => void
  /** When the project's profile last changed, as ISO 8601. */
  profileAt: string | undefined
}

const goals: { goal: Goal; label: string; metric: MetricId }[] = [
  { goal: 'energy', label: 'Lowest energy', metric: 'energy' },
  { goal: 'latency', label: 'Lowest latency', metric: 'p99' },
  { goal: 'cost', label: 'Lowest cost', metric: 'costPerHour' },
]

/** A finished exploration: its plots and table, and the selected candidate. */
export function ExplorationResult({ project, name, job, result, selected, onSelect, profileAt }: Props) {
  const { version, workflow, tasks } = useWorkflow(project, job.request.version)
  const order = useMemo(() => orderOf(result, tasks), [result, tasks])
  const candidate = useMemo(
    () => result.candidates.find((one) => one.id === selected) ?? verdictOf(result.candidates)?.candidate,
    [result, selected],
  )
  const hovered = useMemo(createHovered, [])
  const names = useMemo(() => namesOf(result.candidates), [result])
  const scenario = useMemo(
    () => workflow && scenarioOf(workflow, result.inputs, job.request.itemsPerDevice),
    [workflow, result, job],
  )
  const [ranges, setRanges] = useState<Ranges>({})
  const within = useCallback((one: Candidate) => isWithin(ranges, one), [ranges])
  const outside = useCallback((one: Candidate) => !isWithin(ranges, one), [ranges])
  const files = useMemo(
    () => [name, 'v', job.request.version, result.inputs.fleet, 'seed', result.inputs.seed],
    [name, job, result],
  )

  if (result.candidates.length === 0)
    return (
      <Panel title="No placement is possible">
        <Nothing title="No placement follows all rules">
          {result.note && <p className="mb-2">{result.note}</p>}
          <Pruned pruned={result.pruned} />
          <p className="mt-2">
            <Link to={`/projects/${project}`} className="font-medium text-accent-strong hover:underline">
              Open the Workflow screen
            </Link>{' '}
            to change it.
          </p>
        </Nothing>
      </Panel>
    )
  return (
    <Exportable>
      <CandidateNames value={names}>
        <HoveredContext value={hovered}>
          <VerdictPanel candidates={result.candidates} selected={candidate?.id} onSelect={onSelect} />
          <div className="grid min-w-0 grid-cols-1 md:grid-cols-[minmax(0,11fr)_minmax(0,9fr)] items-start gap-4">
            <div className="flex min-w-0 flex-col gap-4">
              <Panel
                title={`${format.count(result.candidates.length, 'candidate')}, ${result.front.length.toLocaleString('en-GB')} on the front of all four goals`}
                actions={
                  <ExportMenu
                    name={name}
                    files={files}
                    job={job}
                    result={result}
                    scenario={scenario}
                    text={version.data?.text ?? ''}
                    selected={candidate}
                    tasks={order}
                  />
                }
              >
                <Picks candidates={result.candidates} selected={candidate?.id} onSelect={onSelect} />
                <Figure title="Trade-offs" data={barsData(result.candidates, 'trade-offs')}>
                  <ScatterPlot
                    candidates={result.candidates}
                    constraints={workflow?.constraints ?? []}
                    selected={candidate?.id}
                    onSelect={onSelect}
                    onHover={hovered.set}
                    faded={anyRange(ranges) ? outside : undefined}
                  />
                </Figure>
                <ParallelPlot
                  candidates={result.candidates}
                  selected={candidate?.id}
                  ranges={ranges}
                  onRanges={setRanges}
                />
              </Panel>
              <Panel title="Inputs of this exploration" folded>
                <Inputs job={job} result={result} />
                {scenario && <Recompute scenario={scenario} exploration={result} />}
              </Panel>
            </div>
            <div className="flex min-w-0 flex-col gap-4">
              <Panel title="Selected candidate">
                {candidate && (
                  <CandidateDetail
                    project={project}
                    job={job}
                    candidate={candidate}
                    workflow={workflow}
                    layout={version.data?.layout}
                    tasks={tasks}
                    scenario={scenario}
                    candidates={result.candidates}
                    onSelect={onSelect}
                  />
                )}
                {version.loading && <Waiting what="Loading the workflow" />}
                <ProblemNote problem={version.problem} retry={version.reload} />
              </Panel>
              {scenario && candidate && (
                <Panel title="Why">
                  <WhyPanel
                    scenario={scenario}
                    exploration={result}
                    candidate={candidate}
                    onSelect={onSelect}
                  />
                </Panel>
              )}
            </div>
            <div className="md:col-span-2 flex min-w-0 flex-col gap-4">
              {scenario && (
                <WhatIfPanel
                  scenario={scenario}
                  exploration={result}
                  constraints={scenario.workflow.constraints}
                  selected={candidate?.id}
                  onSelect={onSelect}
                >
                  {(resting) => (
                    <DeviceCurves
                      scenario={resting}
                      candidates={result.candidates}
                      tasks={order}
                      onSelect={onSelect}
                    />
                  )}
                </WhatIfPanel>
              )}
              {workflow && !scenario && (
                <Panel title="What if">
                  <p className="text-sm text-muted">
                    This page does not know the fleet {result.inputs.fleet}, so it cannot compute estimates
                    for it. Explore a fleet of the list above.
                  </p>
                </Panel>
              )}
              <Panel title="The front in detail" term="front" folded>
                <FrontBars
                  candidates={result.candidates}
                  tasks={order}
                  selected={candidate?.id}
                  onSelect={onSelect}
                />
              </Panel>
              {scenario && (
                <RobustPanel
                  scenario={scenario}
                  candidates={result.candidates}
                  tasks={order}
                  selected={candidate?.id}
                  onSelect={onSelect}
                />
              )}
              {candidate && (
                <Panel title="Compare two candidates">
                  <ComparePanel
                    scenario={scenario}
                    candidates={result.candidates}
                    selected={candidate}
                    workflow={workflow}
                    layout={version.data?.layout}
                    tasks={order}
                    onSelect={onSelect}
                  />
                </Panel>
              )}
              <MeasuredPanel
                project={project}
                version={job.request.version}
                candidates={result.candidates}
                selected={candidate?.id}
                profileAt={profileAt}
              />
              <Panel title="All candidates" term="candidate">
                <CandidateTable
                  candidates={result.candidates}
                  tasks={order}
                  selected={candidate?.id}
                  onSelect={onSelect}
                  within={anyRange(ranges) ? within : undefined}
                />
              </Panel>
            </div>
          </div>
        </HoveredContext>
      </CandidateNames>
    </Exportable>
  )
}

const orderOf = (result: Exploration, tasks: readonly string[]): readonly string[] =>
  tasks.length > 0 ? tasks : Object.keys(result.candidates[0]?.placement ?? {})

function Picks({
  candidates,
  selected,
  onSelect,
}: {
  candidates: readonly Candidate[]
  selected: string | undefined
  onSelect: (id: string) => void
}) {
  const picks = useMemo(
    () => goals.map((one) => ({ ...one, candidate: pick(candidates, one.goal) })),
    [candidates],
  )
  const none = picks.every((one) => one.candidate === undefined)
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 text-xs font-medium text-muted">
        Best candidate that meets the constraints, by
      </legend>
      <div className="grid grid-cols-3 gap-2">
        {picks.map(({ goal, label, metric, candidate }) => (
          <button
            key={goal}
            type="button"
            data-testid={`pick-${goal}`}
            disabled={!candidate}
            aria-pressed={candidate !== undefined && candidate.id === selected}
            onClick={() => candidate && onSelect(candidate.id)}
            className="flex flex-col items-start rounded-md border border-line-strong bg-surface px-3 py-1.5 text-left hover:bg-sunken disabled:cursor-not-allowed disabled:opacity-60 aria-pressed:border-accent aria-pressed:bg-accent-soft"
          >
            <span className="text-sm font-medium">{label}</span>
            <span className="text-xs text-muted tabular-nums">
              {candidate ? metrics[metric].print(metrics[metric].of(candidate.estimate)) : 'none'}
            </span>
          </button>
        ))}
      </div>
      {none && (
        <p className="text-xs text-danger">
          No candidate meets every constraint. The table lists what each one violates. Relax a constraint on
          the Workflow screen, or explore a stronger fleet.
        </p>
      )}
    </fieldset>
  )
}

function Pruned({ pruned }: { pruned: Exploration['pruned'] }) {
  if (pruned.count === 0) return <p>Every combination of tiers is among the candidates.</p>
  return (
    <>
      <p>{format.count(pruned.count, 'placement')} left out:</p>
      <ul className="list-disc pl-5">
        {reasons(pruned.byRule).map(({ rule, reason, count }) => (
          <li key={rule}>
            <span className="tabular-nums">{format.whole(count)}</span>: {reason}
          </li>
        ))}
      </ul>
    </>
  )
}

function Inputs({ job, result }: { job: ExplorationJob; result: Exploration }) {
  const { inputs } = result
  const profiles = Object.values(inputs.profile.tasks)
  const measured = profiles.filter((task) => task.origin === 'measured').length
  const facts: [string, string][] = [
    ['Version', String(job.request.version)],
    ['Fleet', `${inputs.fleet}, ${format.count(inputs.devices, 'device')}`],
    ['Readings per device', format.number(inputs.itemsPerDevice, 6)],
    ...(inputs.handOver
      ? [['Data between functions', handOverLabels[inputs.handOver]] satisfies [string, string]]
      : []),
    ['Random seed', String(inputs.seed)],
    [
      'Profile',
      `${measured} of ${format.count(profiles.length, 'task')} measured, ${profiles.length - measured} assumed${inputs.profile.note ? `. ${inputs.profile.note}` : ''}`,
    ],
    ['Finished', format.instant(job.job.endedAt ?? job.job.createdAt)],
  ]
  return (
    <div className="flex flex-col gap-3 text-sm">
      <dl className="grid grid-cols-[auto_1fr] content-start gap-x-4 gap-y-1">
        {facts.map(([term, fact]) => (
          <div key={term} className="contents">
            <dt className="text-muted">{term}</dt>
            <dd className="min-w-0 break-words">{fact}</dd>
          </div>
        ))}
      </dl>
      <div>
        <Pruned pruned={result.pruned} />
        {result.note && <p className="mt-2">{result.note}</p>}
        <p className="mt-2 text-xs text-muted">
          These figures are estimates of a model. Deploy a candidate and run it to compare them with
          measurements.
        </p>
      </div>
    </div>
  )
}
