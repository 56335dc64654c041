import * as format from '../../reports/format.ts'
import { useWidth } from '../../reports/useWidth.ts'
import { Figure } from '../charts/Figure.tsx'
import { LineChart } from '../charts/LineChart.tsx'
import type { Distribution } from '../whatif/detail.ts'
import {
  endSentence,
  goalsOf,
  looks,
  type OverTimeGoal,
  overTimeData,
  overTimeLooks,
  pointsOver,
} from './overTime.ts'

/** One quantity of one or two runs over time, as an SVG picture. */
export function OverTimeChart({
  runs,
  goal,
  width,
}: {
  runs: readonly Distribution[]
  goal: OverTimeGoal
  width: number
}) {
  const { title, print, rows, start, shows } = overTimeLooks[goal]
  return (
    <LineChart
      label={`${title} over the time of the run. ${runs
        .map(
          (run, n) =>
            `${runs.length > 1 ? `${looks[n]?.letter}: ` : ''}${print(rows(run)[0]?.values.at(-1) ?? Number.NaN)} at the end`,
        )
        .join('; ')}`}
      width={width}
      series={runs.flatMap((run, n) =>
        rows(run).map(({ of, values, thin }) => ({
          name: `${looks[n]?.letter} ${of}`,
          colour: looks[n]?.colour ?? '',
          dashed: looks[n]?.dashed,
          thin,
          points: pointsOver(run, values, start),
        })),
      )}
      xLabel="Time since the start of the run"
      xKind="linear"
      yKind="linear"
      yShows={shows}
      printX={format.time}
      printY={print}
    />
  )
}

/** Battery, bandwidth and items of one or two simulated runs over time. */
export function OverTime({ runs }: { runs: readonly Distribution[] }) {
  const { box, width } = useWidth(900)
  const third = Math.max(220, Math.floor((width - 32) / 3))
  const goals = goalsOf(runs)
  return (
    <div ref={box} data-testid="over-time" className="flex min-w-0 flex-col gap-2">
      <div className="grid grid-cols-3 gap-4">
        {goals.map((goal) => (
          <Figure key={goal} title={`${overTimeLooks[goal].title} over time`} data={overTimeData(runs, goal)}>
            <OverTimeChart runs={runs} goal={goal} width={third} />
          </Figure>
        ))}
      </div>
      <ul className="text-xs" data-testid="over-time-ends">
        {runs.map((run, n) => (
          <li key={run.id}>
            <span className="font-medium">{looks[n]?.letter}</span>: {endSentence(run)}.
          </li>
        ))}
      </ul>
      {goals.includes('battery') && (
        <p className="text-xs text-muted">The thin line is the device with the lowest battery.</p>
      )}
    </div>
  )
}
