import { useEffect, useState } from 'react'
import type { Candidate } from '../../../api/types.ts'
import { Waiting } from '../../../ui/feedback.tsx'
import { StackedBar } from '../../reports/BreakdownBars.tsx'
import * as format from '../../reports/format.ts'
import { useWidth } from '../../reports/useWidth.ts'
import { Figure } from '../charts/Figure.tsx'
import type { Distribution } from '../whatif/detail.ts'
import type { Scenario } from '../whatif/knobs.ts'
import { openWorker } from '../whatif/work.ts'
import { atPercent, distributionData, namedPercentiles } from './distribution.ts'
import { ItemTraces } from './ItemTraces.tsx'
import { LatencyCurves } from './LatencyCurves.tsx'
import { OverTime } from './OverTime.tsx'
import { cutSentence, looks } from './overTime.ts'

/** One simulated run of both candidates: latency distribution and breakdown, traces of items, and the run over time. */
export function Distributions({ scenario, a, b }: { scenario: Scenario; a: Candidate; b: Candidate }) {
  const [results, setResults] = useState<Distribution[]>()
  const [problem, setProblem] = useState<string>()
  const [batteries, setBatteries] = useState(false)
  const { box, width } = useWidth(720)
  useEffect(() => {
    const worker = openWorker<'distributions'>()
    const placements = [a, b].map(({ id, placement }) => ({ id, placement }))
    worker.ask(
      { kind: 'distributions', scenario, placements, batteries },
      {
        onAnswer: (answer) => {
          setProblem(undefined)
          setResults(answer)
        },
        onFailure: setProblem,
      },
    )
    return () => worker.close()
  }, [scenario, a, b, batteries])
  const current = results?.[0]?.id === a.id && results[1]?.id === b.id ? results : undefined
  const cut = current?.find(({ items }) => items.simulated < items.all)
  const longest = Math.max(
    ...(current ?? []).flatMap(({ atMedian, atTail }) => [sum(atMedian), sum(atTail)]),
    1e-9,
  )
  return (
    <>
      <Figure
        title="Latency distribution"
        data={current && distributionData(current)}
        note={
          cut
            ? `One simulated run. ${cutSentence(cut)}`
            : 'One simulated run. The metrics above are means over several seeds.'
        }
      >
        <div ref={box} data-testid="distributions" className="min-w-0">
          {problem && (
            <p role="alert" className="text-sm text-danger">
              {problem}
            </p>
          )}
          {!current && !problem && <Waiting what="Simulating both candidates in this browser" />}
          {current && (
            <>
              <LatencyCurves runs={current} width={width} />
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
                      {namedPercentiles.map((at) => `p${at} ${format.time(atPercent(each, at))}`).join(', ')}
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
      {current && <ItemTraces runs={current} />}
      {current && <OverTime runs={current} />}
      {!scenario.fleet.host && (
        <label className="flex items-center gap-2 text-xs">
          <input
            type="checkbox"
            data-testid="stop-when-empty"
            checked={batteries}
            onChange={(event) => setBatteries(event.target.checked)}
          />
          Stop a device when its battery is empty
        </label>
      )}
    </>
  )
}

const sum = ({ network, management, dataExchange, execution }: Distribution['atMedian']): number =>
  network + management + dataExchange + execution
