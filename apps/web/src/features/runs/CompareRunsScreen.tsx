import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { Badge, Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel, Scroll } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { PlacementChips } from '../reports/TierChip.tsx'
import { runTone, tookMs } from '../run/RunStatus.tsx'
import { MAX_SPANS } from '../run/runState.ts'
import { ComparedTasks } from './ComparedTasks.tsx'
import { compareRuns, type Sample } from './comparison.ts'
import { sentencesOf } from './sentences.ts'
import { type LoadedComparedRun, useComparedRun } from './useComparedRun.ts'

/** Two runs side by side; `?runs=` names them. The one that started first is the first. */
export default function CompareRunsScreen() {
  const { id = '' } = useParams()
  const [search] = useSearchParams()
  const [one, other] = (search.get('runs') ?? '').split(',').filter((name) => name !== '')
  const [a, b] = [useComparedRun(one), useComparedRun(other)]
  const [first, second] = (a.run?.createdAt ?? '') <= (b.run?.createdAt ?? '') ? [a, b] : [b, a]
  const comparison = useMemo(
    () => (first.compared && second.compared ? compareRuns(first.compared, second.compared) : undefined),
    [first.compared, second.compared],
  )
  const back = (
    <Link
      to={`/projects/${id}/runs`}
      className="inline-flex items-center gap-1 self-start text-sm text-accent-strong hover:underline"
    >
      <ArrowLeft className="size-4" aria-hidden="true" />
      All runs
    </Link>
  )
  if (one === undefined || other === undefined || one === other)
    return (
      <div className="p-4">
        {back}
        <Nothing title="Two runs are needed">Select two runs in the list, and press Compare.</Nothing>
      </div>
    )
  const unreadable = [first, second].find(({ isUnreadable }) => isUnreadable)
  const loading = [first, second].find(({ compared }) => compared === undefined)
  return (
    <div className="flex h-full flex-col gap-4 overflow-y-auto p-4">
      <h1 className="sr-only">Two runs compared</h1>
      {back}
      <ProblemNote problem={a.problem} retry={a.reload} />
      <ProblemNote problem={b.problem} retry={b.reload} />
      {comparison ? (
        <>
          <Panel title="Two runs compared" testId="comparison">
            <div data-testid="comparison-sentences" className="flex flex-col gap-1 text-sm">
              {sentencesOf(comparison).map((sentence, index) => (
                <p key={sentence} className={index === 0 ? 'text-base font-medium' : ''}>
                  {sentence}
                </p>
              ))}
            </div>
            <Facts
              sides={[first, second]}
              samples={[comparison.endToEnd.first, comparison.endToEnd.second]}
            />
          </Panel>
          <Panel title="Tasks">
            <ComparedTasks tasks={comparison.tasks} />
          </Panel>
        </>
      ) : unreadable ? (
        <Nothing title="These runs cannot be compared">
          The text of version {unreadable.deployment?.request.version} has errors, so its tasks are not known.
        </Nothing>
      ) : a.problem || b.problem ? null : (
        <Waiting what={progressOf(loading)} />
      )}
    </div>
  )
}

const progressOf = (side: LoadedComparedRun | undefined): string =>
  side?.view
    ? `Loading invocations: ${format.whole(side.view.spans.length)} of ${format.whole(Math.min(side.view.spanCount, MAX_SPANS))}`
    : 'Loading the runs'

/** What each run was, and the times of its items. */
function Facts({ sides, samples }: { sides: readonly LoadedComparedRun[]; samples: readonly Sample[] }) {
  const rows: readonly (readonly [string, (side: LoadedComparedRun, sample: Sample) => ReactNode])[] = [
    [
      'Started',
      ({ run }) =>
        run && (
          <Link
            className="font-medium text-accent-strong hover:underline"
            to={`/projects/${run.project}/run?deployment=${run.deployment}&run=${run.id}`}
          >
            {format.instant(run.createdAt)}
          </Link>
        ),
    ],
    ['State', ({ view }) => view && <Badge tone={runTone[view.state]}>{view.state}</Badge>],
    ['Version', ({ deployment }) => deployment?.request.version],
    ['Target', ({ deployment }) => deployment?.request.target ?? 'usual'],
    [
      'Placement',
      ({ deployment, compared }) =>
        deployment && (
          <PlacementChips
            placement={deployment.request.placement}
            tasks={compared?.workflow.tasks.map(({ name }) => name) ?? []}
          />
        ),
    ],
    ['Duration', ({ view }) => format.time((view && tookMs(view)) ?? Number.NaN)],
    ['Items measured end to end', (_, sample) => format.whole(sample.count)],
    ['An item, p50', (_, sample) => format.time(sample.p50Ms)],
    ['An item, p99', (_, sample) => format.time(sample.p99Ms)],
    ['An item, middle half spreads over', (_, sample) => format.time(sample.spreadMs)],
  ]
  return (
    <Scroll label="The two runs" className="overflow-x-auto">
      <table className="border-collapse text-[13px] tabular-nums" data-testid="compared-runs">
        <thead className="text-xs text-muted">
          <tr>
            <td />
            <th scope="col" className="px-4 py-1 text-left font-medium">
              First run
            </th>
            <th scope="col" className="px-4 py-1 text-left font-medium">
              Second run
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([title, show]) => (
            <tr key={title} className="border-t border-line">
              <th scope="row" className="py-1 pr-2 text-left font-normal text-muted">
                {title}
              </th>
              {sides.map((side, at) => {
                const sample = samples[at]
                return (
                  <td key={side.run?.id} className="px-4 py-1">
                    {sample && show(side, sample)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
