import type { Constraint } from '@hivemind/workflow'
import { memo, type ReactNode, useMemo } from 'react'
import type { Candidate, Exploration } from '../../../api/types.ts'
import { Button } from '../../../ui/Button.tsx'
import { JobProgress, Waiting } from '../../../ui/feedback.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import * as format from '../../reports/format.ts'
import { Figure } from '../charts/Figure.tsx'
import { barsData } from '../charts/FrontBars.tsx'
import { MethodBadge } from '../MethodBadge.tsx'
import { type MetricId, metrics } from '../metrics.ts'
import { ScatterPlot } from '../ScatterPlot.tsx'
import { KnobSlider } from './KnobSlider.tsx'
import type { Scenario } from './knobs.ts'
import { useWhatIf, type WhatIf } from './useWhatIf.ts'

const headline: MetricId[] = ['p99', 'energy', 'bandwidth', 'costPerHour']

/** Sliders for the settings of an exploration's scenario. The browser recomputes the front as they move. */
export function WhatIfPanel({
  scenario,
  exploration,
  constraints,
  selected,
  onSelect,
  children,
}: {
  scenario: Scenario
  exploration: Exploration
  constraints: readonly Constraint[]
  selected: string | undefined
  onSelect: (id: string) => void
  /** Further content that depends on the settings; called with the scenario once the sliders rest. */
  children?: (resting: Scenario) => ReactNode
}) {
  const whatIf = useWhatIf(scenario, exploration)
  const { knobs, settings, candidates } = whatIf
  return (
    <Panel
      title="What if"
      testId="what-if"
      actions={
        <Button
          data-testid="what-if-reset"
          disabled={!whatIf.changed}
          onClick={(event) => whatIf.reset(undefined, event.timeStamp)}
        >
          Reset all
        </Button>
      }
    >
      <div className="grid min-w-0 grid-cols-1 md:grid-cols-[minmax(16rem,20rem)_minmax(0,1fr)] items-start gap-5">
        <div className="flex min-w-0 flex-col gap-3">
          {knobs.map((knob) => (
            <KnobSlider
              key={knob.id}
              knob={knob}
              value={settings[knob.id]}
              onChange={whatIf.set}
              onReset={whatIf.reset}
            />
          ))}
          {knobs.some((knob) => knob.id === 'size') && (
            <label className="flex items-start gap-2 text-xs">
              <input
                type="checkbox"
                className="mt-0.5"
                checked={whatIf.workWithSize}
                onChange={(event) => whatIf.setWorkWithSize(event.target.checked, event.timeStamp)}
              />
              Scale the time of tasks that read frames with the frame size
            </label>
          )}
          <p className="text-xs text-muted">
            A higher frame rate means more frames, since the duration stays the same. All other inputs are
            those of the exploration.
          </p>
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <Status whatIf={whatIf} />
          {candidates ? (
            <Front
              candidates={candidates}
              ghost={whatIf.ghost}
              constraints={constraints}
              selected={selected}
              onSelect={onSelect}
            />
          ) : (
            !whatIf.problem && <Waiting what="Computing the front in this browser" />
          )}
        </div>
      </div>
      {children?.(whatIf.resting)}
    </Panel>
  )
}

/** The front with the current settings. Memoised, since drawing it is slow. */
const Front = memo(function Front({
  candidates,
  ghost,
  constraints,
  selected,
  onSelect,
}: {
  candidates: readonly Candidate[]
  ghost: readonly Candidate[] | undefined
  constraints: readonly Constraint[]
  selected: string | undefined
  onSelect: (id: string) => void
}) {
  return (
    <>
      <Figure title="Front with these settings" data={barsData(candidates, 'what-if')}>
        <ScatterPlot
          testId="what-if-scatter"
          candidates={candidates}
          ghost={ghost}
          constraints={constraints}
          selected={selected}
          onSelect={onSelect}
        />
      </Figure>
      <Best now={candidates} before={ghost} />
    </>
  )
})

function Status({ whatIf }: { whatIf: WhatIf }) {
  const { simulating, method, changed } = whatIf
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
      <span data-testid="what-if-method" data-method={method}>
        <MethodBadge method={method === 'simulated' ? 'simulated' : 'quick'} />
      </span>
      {whatIf.redrawMs !== undefined && (
        <span className="tabular-nums" data-testid="what-if-redraw">
          Front redrawn in {format.time(whatIf.redrawMs)}
        </span>
      )}
      {!changed && <span>Move a slider to see how the front changes. When you stop, it is simulated.</span>}
      {simulating !== undefined && (
        <span className="flex min-w-72 flex-1 items-end gap-2">
          <JobProgress testId="what-if-progress" value={simulating} label="Simulating in this browser" />
          <Button data-testid="what-if-cancel" onClick={whatIf.cancel}>
            Cancel
          </Button>
        </span>
      )}
      {changed && whatIf.cancelled && (
        <span className="flex items-center gap-2" role="status">
          The simulation was cancelled. The front is a quick estimate.
          <Button data-testid="what-if-simulate" onClick={whatIf.simulateNow}>
            Simulate
          </Button>
        </span>
      )}
      {whatIf.problem && (
        <p role="alert" className="text-sm text-danger">
          {whatIf.problem}
        </p>
      )}
    </div>
  )
}

const lowest = (candidates: readonly Candidate[], id: MetricId): number =>
  candidates.reduce(
    (best, candidate) => Math.min(best, metrics[id].of(candidate.estimate)),
    Number.POSITIVE_INFINITY,
  )

/** Lowest value of each metric and number of candidates that meet the constraints, with those before the change. */
function Best({ now, before }: { now: readonly Candidate[]; before: readonly Candidate[] | undefined }) {
  const rows = useMemo(
    () =>
      headline.map((id) => ({
        id,
        is: metrics[id].print(lowest(now, id)),
        was: before && metrics[id].print(lowest(before, id)),
      })),
    [now, before],
  )
  const meets = now.filter((candidate) => candidate.meets).length
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-x-3 gap-y-1 text-sm">
      {rows.map((row) => (
        <div key={row.id}>
          <dt className="text-xs text-muted">Lowest {metrics[row.id].label.toLowerCase()}</dt>
          <dd className="tabular-nums">
            <span className="font-medium" data-testid={`what-if-best-${row.id}`}>
              {row.is}
            </span>
            {row.was !== undefined && row.was !== row.is && (
              <span className="ml-1.5 text-xs text-muted">was {row.was}</span>
            )}
          </dd>
        </div>
      ))}
      <div>
        <dt className="text-xs text-muted">Meet the constraints</dt>
        <dd className="font-medium tabular-nums">
          {meets.toLocaleString('en-GB')} of {now.length.toLocaleString('en-GB')}
        </dd>
      </div>
    </dl>
  )
}
