import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../../api/client.ts'
import type { Candidate, DeploymentComparison } from '../../../api/types.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { Nothing, ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { InlineSelect } from '../../../ui/fields.tsx'
import { Panel, Scroll } from '../../../ui/Panel.tsx'
import { useFirst } from '../../../ui/useFirst.tsx'
import * as format from '../../reports/format.ts'
import { TierChip } from '../../reports/TierChip.tsx'
import { useWidth } from '../../reports/useWidth.ts'
import { Figure } from '../charts/Figure.tsx'
import {
  comparisonData,
  deploymentLabel,
  deviationsOf,
  deviationText,
  type MeasuredDeployment,
  measuredDeployments,
  type Point,
  pointsOf,
} from './comparison.ts'
import { DiagonalPlot } from './DiagonalPlot.tsx'

type Basis = DeploymentComparison['profile']
const bases: { value: Basis; label: string }[] = [
  { value: 'now', label: 'of now' },
  { value: 'deployed', label: 'of the time of deployment' },
]

/** Compares the estimate of a placement with the measurements of its runs. */
export function MeasuredPanel({
  project,
  version,
  candidates,
  selected,
  profileAt,
}: {
  project: string
  version: number
  candidates: readonly Candidate[]
  selected: string | undefined
  /** When the project's profile last changed, as ISO 8601. */
  profileAt: string | undefined
}) {
  const deployments = useLoad((signal) => api.listDeployments(project, { limit: 1_000 }, signal), [project])
  const runs = useLoad((signal) => api.listRuns(project, { limit: 1_000 }, signal), [project])
  const [chosen, setChosen] = useState<string>()
  const [basis, setBasis] = useState<Basis>('now')
  const tried = useMemo(
    () =>
      deployments.data && runs.data && measuredDeployments(deployments.data, runs.data, candidates, version),
    [deployments.data, runs.data, candidates, version],
  )
  const own = tried?.find(({ candidate }) => candidate !== undefined && candidate === selected)
  const current = tried?.find(({ deployment }) => deployment.id === chosen) ?? own ?? tried?.[0]
  return (
    <Panel
      title="Estimate and measurement"
      testId="measured"
      actions={
        tried &&
        current && (
          <span className="flex flex-wrap gap-x-4 gap-y-1">
            <InlineSelect
              label="Runs of"
              testId="measured-deployment"
              className="max-w-96"
              value={current.deployment.id}
              options={tried.map((each) => ({
                value: each.deployment.id,
                label: deploymentLabel(each, candidates),
              }))}
              onChange={setChosen}
            />
            <InlineSelect
              label="Estimate with the profile"
              testId="measured-profile"
              value={basis}
              options={bases}
              onChange={setBasis}
            />
          </span>
        )
      }
    >
      <ProblemNote
        problem={deployments.problem ?? runs.problem}
        retry={() => {
          deployments.reload()
          runs.reload()
        }}
      />
      {!tried && (deployments.loading || runs.loading) && <Waiting what="Loading the runs" />}
      {tried && !current && (
        <Nothing title="No successful run yet">
          Deploy a candidate of version {version} and run it. When the run has succeeded, its times are shown
          here beside the estimate. <RunLink project={project} />
        </Nothing>
      )}
      {current && (
        <>
          {!own && selected !== undefined && (
            <p className="text-xs text-muted">
              The selected candidate has not been run. <RunLink project={project} />
            </p>
          )}
          <Compared tried={current} basis={basis} profileAt={profileAt} />
        </>
      )}
    </Panel>
  )
}

const RunLink = ({ project }: { project: string }) => (
  <Link to={`/projects/${project}/run`} className="font-medium text-accent-strong underline">
    Open the Run screen
  </Link>
)

function Compared({
  tried,
  basis,
  profileAt,
}: {
  tried: MeasuredDeployment
  basis: Basis
  profileAt: string | undefined
}) {
  const { id } = tried.deployment
  const comparison = useLoad(
    (signal) => api.compareDeployment(id, basis, signal),
    [id, basis, tried.runs[0]?.id, basis === 'now' && profileAt],
  )
  const { data } = comparison
  const points = useMemo(() => (data ? pointsOf(data) : []), [data])
  const deviations = deviationsOf(points)
  return (
    <>
      <ProblemNote problem={comparison.problem} retry={comparison.reload} />
      {comparison.loading && !data && <Waiting what="Computing the latencies of the runs" />}
      {data && (
        <Figure
          title="Times of tasks, items and the run"
          data={comparisonData(data)}
          note={noteOf(tried, data)}
        >
          {deviations && (
            <p className="text-sm" data-testid="measured-mean">
              Deviation of the estimate from the measurement:{' '}
              <span className="font-medium tabular-nums">{format.share(deviations.median)}</span> (median),{' '}
              {format.share(deviations.mean)} (mean) of {format.count(points.length, 'figure')}; medians over{' '}
              {format.count(data.runs.length, 'run')}.
            </p>
          )}
          <div className="grid min-w-0 grid-cols-1 md:grid-cols-[minmax(15rem,2fr)_minmax(0,3fr)] items-start gap-4">
            <Plot points={points} />
            <ComparedTable comparison={data} />
          </div>
        </Figure>
      )}
    </>
  )
}

function Plot({ points }: { points: readonly Point[] }) {
  const { box, width } = useWidth(420, 240)
  return (
    <div ref={box} className="flex min-w-0 flex-col gap-1">
      <DiagonalPlot points={points} width={width} />
      <p className="text-xs text-muted">
        Filled: p50. Hollow: p99. Diamond: an item from end to end. Square: the whole run. Above the diagonal
        the estimate is too high. Between the dotted lines it is within 20% of the measurement.
      </p>
    </div>
  )
}

function noteOf(
  { deployment }: MeasuredDeployment,
  { profile, itemsPerDevice, callsFrom }: DeploymentComparison,
): string {
  const items =
    itemsPerDevice === undefined
      ? ''
      : profile === 'now'
        ? ` Estimate and runs have at most ${format.count(itemsPerDevice, 'item')} per sensor and device.`
        : ` The runs had at most ${format.count(itemsPerDevice, 'item')} per sensor and device, which the estimate did not assume: to compare the time of the whole run, choose the current profile.`
  const calls =
    callsFrom.length > 0
      ? `calls as measured in ${format.count(callsFrom.length, 'other run')}`
      : profile === 'now'
        ? 'default costs of calls (a second run would measure them)'
        : 'default costs of calls'
  const asked =
    profile === 'now'
      ? 'The estimate uses the current profile.'
      : 'The estimate uses the profile at the time of deployment, before any run of it.'
  return `On this machine with ${format.count(deployment.request.agents, 'agent')}. ${asked}${items} It includes the profile, warm functions, cores shared by agents and functions, sensors at the pace of their code, and ${calls}. It does not include other load on this machine. Deviation = estimate / measurement − 1.`
}

const MAX_ROWS = 50

/** The times of the plot as a table. */
function ComparedTable({ comparison: { rows, run } }: { comparison: DeploymentComparison }) {
  const { first, more } = useFirst(
    rows.filter(({ task }) => task !== null),
    MAX_ROWS,
  )
  const items = rows.filter(({ task }) => task === null)
  const head = 'px-1.5 py-1 text-right font-medium whitespace-nowrap'
  const cell = 'px-1.5 py-1 text-right whitespace-nowrap'
  const cells = ({ simulatedMs, measuredMs, deviation }: DeploymentComparison['rows'][number]['p50']) => (
    <>
      <td className={cell}>{format.time(simulatedMs)}</td>
      <td className={`${cell} font-medium`}>{format.time(measuredMs)}</td>
      <td className={cell}>{deviationText(deviation)}</td>
    </>
  )
  return (
    <>
      <Scroll className="max-h-96 overflow-auto" label="Estimated and measured times">
        <table className="w-full border-collapse text-[13px] tabular-nums" data-testid="measured-table">
          <caption className="sr-only">
            Estimated and measured p50 and p99, and the deviation of the estimate
          </caption>
          <thead className="text-xs text-muted">
            <tr>
              <th scope="col" className="py-1 pr-2 text-left font-medium">
                Task
              </th>
              {['p50', 'p99'].flatMap((of) =>
                [`${of} estimated`, 'measured', 'off by'].map((text) => (
                  <th key={`${of} ${text}`} scope="col" className={head}>
                    {text}
                  </th>
                )),
              )}
            </tr>
          </thead>
          <tbody>
            {[...first, ...items].map(({ task, tier, samples, p50, p99 }) => (
              <tr
                key={task ?? ''}
                className="border-t border-line"
                title={format.count(samples, 'measurement')}
              >
                <th
                  scope="row"
                  className={`py-1 pr-2 text-left ${task === null ? 'font-medium' : 'font-normal'}`}
                >
                  <span className="flex items-center gap-1.5">
                    {task ?? 'An item, end to end'}
                    {tier && <TierChip tier={tier} />}
                  </span>
                </th>
                {cells(p50)}
                {cells(p99)}
              </tr>
            ))}
            {run && (
              <tr className="border-t border-line">
                <th scope="row" className="py-1 pr-2 text-left font-medium">
                  Whole run
                </th>
                {cells(run)}
                <td colSpan={3} />
              </tr>
            )}
          </tbody>
        </table>
      </Scroll>
      {more}
    </>
  )
}
