import * as format from '../../reports/format.ts'
import { suitedScale } from '../../reports/scale.ts'
import { LineChart } from '../charts/LineChart.tsx'
import type { Distribution } from '../whatif/detail.ts'
import { atPercent, cdfPoints, namedPercentiles } from './distribution.ts'
import { looks } from './overTime.ts'

/** Cumulative latency distribution of one or two runs. */
export function LatencyCurves({ runs, width }: { runs: readonly Distribution[]; width: number }) {
  return (
    <LineChart
      label={`Cumulative latency distribution. ${runs
        .map(
          (run, n) =>
            `${runs.length > 1 ? `${looks[n]?.letter}: ` : ''}${namedPercentiles.map((at) => `${at}% within ${format.time(atPercent(run, at))}`).join(', ')}`,
        )
        .join('; ')}`}
      width={width}
      series={runs.map((run, n) => ({
        name: looks[n]?.letter ?? '',
        colour: looks[n]?.colour ?? '',
        dashed: looks[n]?.dashed,
        points: cdfPoints(run),
      }))}
      xLabel="Latency"
      xKind={suitedScale(runs.flatMap((run) => run.quantilesMs))}
      yKind="linear"
      printX={format.time}
      printY={format.share}
    />
  )
}
