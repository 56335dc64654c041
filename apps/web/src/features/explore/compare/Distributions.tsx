import { useEffect, useState } from 'react'
import type { Candidate } from '../../../api/types.ts'
import { Waiting } from '../../../ui/feedback.tsx'
import { StackedBar } from '../../reports/BreakdownBars.tsx'
import * as format from '../../reports/format.ts'
import { suitedScale } from '../../reports/scale.ts'
import { useWidth } from '../../reports/useWidth.ts'
import { Figure } from '../charts/Figure.tsx'
import { LineChart } from '../charts/LineChart.tsx'
import type { Distribution } from '../whatif/detail.ts'
import type { Scenario } from '../whatif/knobs.ts'
import { openWorker } from '../whatif/work.ts'
import { atPercent, cdfPoints, distributionData } from './cdf.ts'

const looks = [
  { letter: 'A', colour: 'var(--color-accent)', dashed: false },
  { letter: 'B', colour: 'var(--color-part-network)', dashed: true },
]
const marked = [50, 90, 99]

/** One simulated run of both candidates: the share of items that are through after so long, and where time goes. */
export function Distributions({ scenario, a, b }: { scenario: Scenario; a: Candidate; b: Candidate }) {
  const [found, setFound] = useState<Distribution[]>()
  const [problem, setProblem] = useState<string>()
  const { box, width } = useWidth(720)
  useEffect(() => {
    const worker = openWorker<'distributions'>()
    const placements = [a, b].map(({ id, placement }) => ({ id, placement }))
    worker.ask(
      { kind: 'distributions', scenario, placements },
      {
        onAnswer: (answer) => {
          setProblem(undefined)
          setFound(answer)
        },
        onFailure: setProblem,
      },
    )
    return () => worker.close()
  }, [scenario, a, b])
  const current = found?.[0]?.id === a.id && found[1]?.id === b.id ? found : undefined
  const cut = current?.find(({ items }) => items.simulated < items.all)
  const longest = Math.max(
    ...(current ?? []).flatMap(({ atMedian, atTail }) => [sum(atMedian), sum(atTail)]),
    1e-9,
  )
  return (
    <Figure
      title="Distribution of the latency of an item"
      data={current && distributionData(current)}
      note={
        cut
          ? `One run under the seed, cut to the first ${format.count(cut.items.simulated, 'item')} of ${cut.items.all.toLocaleString('en-GB')} on each device.`
          : 'One run under the seed; the figures above are means over several seeds.'
      }
    >
      <div ref={box} data-testid="distributions" className="min-w-0">
        {problem && (
          <p role="alert" className="text-sm text-danger">
            {problem}
          </p>
        )}
        {!current && !problem && <Waiting what="Simulating both in this browser" />}
        {current && (
          <>
            <LineChart
              label={`Share of items that are through after so long. ${current
                .map(
                  (each, n) =>
                    `${looks[n]?.letter}: ${marked.map((at) => `${at}% within ${format.time(atPercent(each, at))}`).join(', ')}`,
                )
                .join('; ')}`}
              width={width}
              series={current.map((each, n) => ({
                name: looks[n]?.letter ?? '',
                colour: looks[n]?.colour ?? '',
                dashed: looks[n]?.dashed,
                points: cdfPoints(each),
              }))}
              xLabel="Latency"
              xKind={suitedScale(current.flatMap((each) => each.quantilesMs))}
              yKind="linear"
              printX={format.time}
              printY={format.share}
            />
            <div className="grid grid-cols-2 gap-x-4 gap-y-1 text-xs">
              {current.map((each, n) => (
                <div key={each.id} className="flex min-w-0 flex-col gap-1">
                  <p className="flex items-center gap-1.5 tabular-nums">
                    <svg width={20} height={6} aria-hidden="true">
                      <line
                        x1={0}
                        x2={20}
                        y1={3}
                        y2={3}
                        stroke={looks[n]?.colour}
                        strokeWidth={2.5}
                        strokeDasharray={looks[n]?.dashed ? '6 3' : undefined}
                      />
                    </svg>
                    <span className="font-medium">{looks[n]?.letter}</span>
                    {marked.map((at) => `p${at} ${format.time(atPercent(each, at))}`).join(', ')}
                  </p>
                  {(['atMedian', 'atTail'] as const).map((where) => (
                    <div key={where} className="grid grid-cols-[7rem_1fr_4.5rem] items-center gap-2">
                      <span className="text-muted">
                        {where === 'atMedian' ? 'around the median' : 'slowest 1%'}
                      </span>
                      <StackedBar breakdown={each[where]} scale={longest} />
                      <span className="text-right tabular-nums">{format.time(sum(each[where]))}</span>
                    </div>
                  ))}
                </div>
              ))}
            </div>
          </>
        )}
      </div>
    </Figure>
  )
}

const sum = ({ network, management, dataExchange, execution }: Distribution['atMedian']): number =>
  network + management + dataExchange + execution
