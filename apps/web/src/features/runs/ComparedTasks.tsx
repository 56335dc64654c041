import type { TaskStatistics } from '../../api/types.ts'
import { Badge } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { useFirst } from '../../ui/useFirst.tsx'
import * as format from '../reports/format.ts'
import { TierChip } from '../reports/TierChip.tsx'
import type { ComparedTask, Verdict } from './comparison.ts'

const MAX_ROWS = 50

const verdicts: Record<Verdict, { tone: 'ok' | 'warn' | 'muted'; label: string; meaning: string }> = {
  slower: {
    tone: 'warn',
    label: 'slower',
    meaning: 'The medians differ by more than the spread of either run.',
  },
  faster: {
    tone: 'ok',
    label: 'faster',
    meaning: 'The medians differ by more than the spread of either run.',
  },
  noise: {
    tone: 'muted',
    label: 'noise',
    meaning: 'The medians differ by no more than the spread of a run.',
  },
  few: { tone: 'muted', label: 'too few', meaning: 'A run has too few invocations to compare.' },
}

const figures: readonly {
  title: string
  of: (row: TaskStatistics) => number
  show: (value: number) => string
}[] = [
  { title: 'p50', of: (row) => row.p50Ms, show: (value) => format.time(value) },
  { title: 'p99', of: (row) => row.p99Ms, show: (value) => format.time(value) },
  { title: 'Bytes in and out', of: (row) => row.bytesIn + row.bytesOut, show: format.bytes },
  { title: 'Failed', of: (row) => row.failed, show: format.whole },
]

/** A difference with its sign, in the unit of the figure. */
const signed = (difference: number, show: (value: number) => string): string =>
  difference === 0 ? '±0' : `${difference > 0 ? '+' : '−'}${show(Math.abs(difference))}`

/** Figures of each task in two runs, and their differences. */
export function ComparedTasks({ tasks }: { tasks: readonly ComparedTask[] }) {
  const { first: rows, more } = useFirst(tasks, MAX_ROWS)
  if (tasks.length === 0) return <p className="text-sm text-muted">No task ran in either run.</p>
  const cell = 'px-2 py-1 text-right whitespace-nowrap'
  const head = `${cell} font-medium`
  return (
    <>
      <Scroll label="Tasks of both runs" className="overflow-x-auto">
        <table className="w-full border-collapse text-[13px] tabular-nums" data-testid="compared-tasks">
          <caption className="sr-only">Figures of each task in the first and the second run</caption>
          <thead className="text-xs text-muted">
            <tr>
              <th scope="col" rowSpan={2} className="py-1 pr-2 text-left align-bottom font-medium">
                Task
              </th>
              {figures.map(({ title }) => (
                <th
                  key={title}
                  scope="colgroup"
                  colSpan={3}
                  className="border-l border-line px-2 pt-1 font-medium"
                >
                  {title}
                </th>
              ))}
              <th
                scope="col"
                rowSpan={2}
                className="border-l border-line px-2 py-1 text-left align-bottom font-medium"
              >
                Median
              </th>
            </tr>
            <tr>
              {figures.flatMap(({ title }) =>
                ['first', 'second', 'difference'].map((side) => (
                  <th
                    key={`${title} ${side}`}
                    scope="col"
                    className={`${head} ${side === 'first' ? 'border-l border-line' : ''}`}
                  >
                    {side}
                  </th>
                )),
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.task} className="border-t border-line" data-testid={`compared-${row.task}`}>
                <th scope="row" className="py-1 pr-2 text-left font-normal whitespace-nowrap">
                  {row.task} <Tiers row={row} />
                </th>
                {figures.map(({ title, of, show }) => {
                  const [before, after] = [row.first && of(row.first), row.second && of(row.second)]
                  return [
                    <td key={`${title} first`} className={`${cell} border-l border-line`}>
                      {before === undefined ? '–' : show(before)}
                    </td>,
                    <td key={`${title} second`} className={cell}>
                      {after === undefined ? '–' : show(after)}
                    </td>,
                    <td key={`${title} difference`} className={`${cell} font-medium`}>
                      {before === undefined || after === undefined ? '–' : signed(after - before, show)}
                    </td>,
                  ]
                })}
                <td className="border-l border-line px-2 py-1">
                  <Badge tone={verdicts[row.verdict].tone} title={verdicts[row.verdict].meaning}>
                    {verdicts[row.verdict].label}
                  </Badge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {more}
    </>
  )
}

/** Where a task ran: one tier, or the first run's and the second's. */
function Tiers({ row: { first, second } }: { row: ComparedTask }) {
  const [before, after] = [first?.tier, second?.tier]
  if (before && after && before !== after)
    return (
      <>
        <TierChip tier={before} /> <span aria-hidden="true">→</span>
        <span className="sr-only">then</span> <TierChip tier={after} />
      </>
    )
  const tier = after ?? before
  return tier ? <TierChip tier={tier} /> : null
}
