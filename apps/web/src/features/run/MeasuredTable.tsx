import { Fragment, useMemo } from 'react'
import type { Breakdown, Estimate, TaskStatistics } from '../../api/types.ts'
import { Button } from '../../ui/Button.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { useFirst } from '../../ui/useFirst.tsx'
import { Term } from '../../words/Term.tsx'
import { AssumedMark } from '../reports/AssumedMark.tsx'
import { PartsLegend } from '../reports/BreakdownBars.tsx'
import * as format from '../reports/format.ts'
import { TierChip } from '../reports/TierChip.tsx'
import { deviationOf, sentenceOf } from './estimate/deviation.ts'
import { GhostBar, GhostKey } from './estimate/GhostBar.tsx'
import { TakeButton, TakenNote, type Taking } from './estimate/TakeButton.tsx'
import { total } from './spans.ts'

const empty: Breakdown = { network: 0, management: 0, dataExchange: 0, execution: 0 }

/** Whether an invocation succeeded, so that there are times to take. */
const isMeasured = (row: TaskStatistics) => row.invocations > row.failed

const MAX_ROWS = 50

/** Measured times of each task, the estimate for this machine, and their deviation. */
export function MeasuredTable({
  statistics,
  estimate,
  tasks,
  tookMs,
  queues,
  project,
  taking,
}: {
  statistics: readonly TaskStatistics[]
  estimate: Estimate | undefined
  tasks: readonly string[]
  /** Duration of the run in ms, once it has ended. */
  tookMs: number | undefined
  /** Mean queue of each task, in ms. */
  queues: ReadonlyMap<string, number>
  project: string
  taking: Taking
}) {
  const rows = useMemo(() => {
    const measured = new Map(statistics.map((row) => [row.task, row]))
    const named = new Set(tasks)
    const order = [
      ...tasks.filter((task) => measured.has(task)),
      ...[...measured.keys()].filter((task) => !named.has(task)),
    ]
    return order.flatMap((task) => {
      const row = measured.get(task)
      return row ? [row] : []
    })
  }, [statistics, tasks])
  const { first, more } = useFirst(rows, MAX_ROWS)
  const assumed = new Set(estimate?.assumed)
  const scale = Math.max(
    1e-9,
    ...rows.flatMap((row) => [total(row.breakdown), total(estimate?.perTask[row.task]?.breakdown ?? empty)]),
  )
  if (rows.length === 0) return <p className="text-sm text-muted">Nothing measured yet.</p>
  const head = 'px-2 py-1 text-right font-medium whitespace-nowrap'
  const cell = 'px-2 py-1 text-right whitespace-nowrap'
  return (
    <>
      {tookMs !== undefined && (
        <p className="text-sm tabular-nums">
          Whole run: <span className="font-medium">{format.time(tookMs)}</span> measured
          {estimate
            ? `, ${format.time(estimate.execTimeMs)} estimated (${format.deviation(tookMs, estimate.execTimeMs)})`
            : ''}
          .
          {assumed.size > 0 &&
            ` The estimate rests on assumed times and sizes of ${assumed.size === tasks.length ? 'all tasks' : format.count(assumed.size, 'task')}: nobody had measured them.`}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <PartsLegend />
        {estimate && <GhostKey />}
        <Button
          className="ml-auto !h-7 !text-xs"
          data-testid="take-all"
          busy={taking.busy && taking.wanted === undefined}
          disabled={taking.busy || rows.every((row) => taking.taken.has(row.task) || !isMeasured(row))}
          onClick={() => taking.take(rows.filter(isMeasured).map((row) => row.task))}
        >
          Use all in the profile
        </Button>
      </div>
      <TakenNote project={project} taking={taking} />
      <Scroll className="overflow-x-auto" label="Measured and estimated times">
        <table className="w-full border-collapse text-[13px] tabular-nums">
          <caption className="sr-only">
            Time of an invocation per task, measured and estimated: median, 99th percentile and mean parts
          </caption>
          <thead className="text-xs text-muted">
            <tr>
              <th scope="col" className="py-1 pr-2 text-left font-medium">
                Task
              </th>
              <th scope="col" className={head}>
                <Term of="invocation">Invocations</Term>
              </th>
              <th scope="col" className={head}>
                <Term of="p50">p50</Term> measured
              </th>
              <th scope="col" className={head}>
                estimated
              </th>
              <th scope="col" className={head}>
                off by
              </th>
              <th scope="col" className={head}>
                p99 measured
              </th>
              <th scope="col" className={head}>
                estimated
              </th>
              <th scope="col" className={head}>
                off by
              </th>
              <th scope="col" className="min-w-40 px-2 py-1 text-left font-medium">
                Mean parts: measured, over the estimate
              </th>
            </tr>
          </thead>
          <tbody>
            {first.map((row) => {
              const own = estimate?.perTask[row.task]
              const deviation = own && deviationOf(row.breakdown, own.breakdown)
              return (
                <Fragment key={row.task}>
                  <tr className="border-t border-line">
                    <th scope="row" className="py-1 pr-2 text-left font-normal">
                      <span className="flex items-center gap-1.5">
                        <span>{row.task}</span>
                        <TierChip tier={row.tier} />
                        {assumed.has(row.task) && <AssumedMark />}
                      </span>
                    </th>
                    <td className={cell}>
                      {row.invocations.toLocaleString('en-GB')}
                      {row.failed > 0 && <span className="text-danger"> ({row.failed} failed)</span>}
                    </td>
                    <td className={`${cell} font-medium`}>{format.time(row.p50Ms)}</td>
                    <td className={cell}>{own ? format.time(own.p50Ms) : '–'}</td>
                    <td className={cell}>{own ? format.deviation(row.p50Ms, own.p50Ms) : '–'}</td>
                    <td className={`${cell} font-medium`}>{format.time(row.p99Ms)}</td>
                    <td className={cell}>{own ? format.time(own.p99Ms) : '–'}</td>
                    <td className={cell}>{own ? format.deviation(row.p99Ms, own.p99Ms) : '–'}</td>
                    <td className="px-2 py-1">
                      <span className="sr-only">
                        measured {describe(row.breakdown)}
                        {own ? `; estimated ${describe(own.breakdown)}` : ''}
                      </span>
                      <GhostBar measured={row.breakdown} estimated={own?.breakdown} scale={scale} />
                    </td>
                  </tr>
                  <tr>
                    <td colSpan={9} className="pb-2 text-xs">
                      <span className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
                        <span data-testid={`deviation-${row.task}`}>
                          {deviation
                            ? sentenceOf(deviation, queues.get(row.task))
                            : own
                              ? 'It runs at its own pace, which no item waits for: its parts are not compared.'
                              : ''}
                        </span>
                        {isMeasured(row) && <TakeButton task={row.task} taking={taking} />}
                      </span>
                      {row.starts && <Starts task={row.task} starts={row.starts} />}
                    </td>
                  </tr>
                </Fragment>
              )
            })}
          </tbody>
        </table>
      </Scroll>
      {more}
      {!estimate && (
        <p className="text-xs text-muted">
          This deployment has no estimate to compare with, since the profile had no times for it.
        </p>
      )}
    </>
  )
}

/** The times of invocations that waited for their function to start, beside those of the others. */
function Starts({ task, starts }: { task: string; starts: NonNullable<TaskStatistics['starts']> }) {
  const { cold, coldP50Ms, coldP99Ms, warm, warmP50Ms, warmP99Ms } = starts
  const times = (p50: number, p99: number) => `p50 ${format.time(p50)}, p99 ${format.time(p99)}`
  return (
    <p className="tabular-nums text-muted" data-testid={`starts-${task}`}>
      <Term of="coldStart">Cold</Term>: {cold.toLocaleString('en-GB')} ({times(coldP50Ms, coldP99Ms)}); warm:{' '}
      {warm === 0 ? 'none' : `${warm.toLocaleString('en-GB')} (${times(warmP50Ms, warmP99Ms)})`}.
    </p>
  )
}

const describe = (breakdown: Breakdown): string =>
  `network ${format.time(breakdown.network)}, dispatch ${format.time(breakdown.management)}, data exchange ${format.time(breakdown.dataExchange)}, execution ${format.time(breakdown.execution)}`
