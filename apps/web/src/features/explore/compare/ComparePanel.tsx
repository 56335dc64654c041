import type { Workflow } from '@hivemind/workflow'
import { useMemo, useState } from 'react'
import type { Candidate, Layout } from '../../../api/types.ts'
import { Badge } from '../../../ui/feedback.tsx'
import { InlineSelect } from '../../../ui/fields.tsx'
import { useFirst } from '../../../ui/useFirst.tsx'
import { PartsLegend, StackedBar } from '../../reports/BreakdownBars.tsx'
import * as format from '../../reports/format.ts'
import { TaskGraph } from '../../reports/TaskGraph.tsx'
import { TierChip } from '../../reports/TierChip.tsx'
import { useCandidateName } from '../CandidateNames.tsx'
import { Figure } from '../charts/Figure.tsx'
import { representatives } from '../charts/FrontBars.tsx'
import { metrics } from '../metrics.ts'
import type { Scenario } from '../whatif/knobs.ts'
import { comparisonData, differences, type Figures, type Moved } from './comparison.ts'
import { Distributions } from './Distributions.tsx'

const MAX_CHOICES = 200
const MAX_MOVED = 25

const optionOf = (name: string, candidate: Candidate): string =>
  `${name}${candidate.pareto ? ', on the front' : ''}: p99 ${metrics.p99.print(metrics.p99.of(candidate.estimate))}, ${metrics.energy.print(metrics.energy.of(candidate.estimate))}`

/** Two candidates side by side: their placements, and how their metrics differ. */
export function ComparePanel({
  candidates,
  selected,
  workflow,
  layout,
  tasks,
  onSelect,
  scenario,
}: {
  candidates: readonly Candidate[]
  selected: Candidate
  workflow: Workflow | null
  layout: Layout | undefined
  tasks: readonly string[]
  onSelect: (id: string) => void
  /** Scenario to simulate both under; without it no distributions are drawn. */
  scenario: Scenario | null | undefined
}) {
  const [chosen, setChosen] = useState<string>()
  const nameOf = useCandidateName()
  const choices = useMemo(
    () => representatives(candidates, selected.id, MAX_CHOICES),
    [candidates, selected.id],
  )
  const other =
    candidates.find((each) => each.id === chosen) ??
    choices.find((each) => each.id !== selected.id && each.baseline) ??
    choices.find((each) => each.id !== selected.id)
  if (!other)
    return <p className="text-sm text-muted">There is only one candidate, so there is nothing to compare.</p>
  const listed = choices.some((each) => each.id === other.id) ? choices : [...choices, other]
  const options = listed.map((each) => ({ value: each.id, label: optionOf(nameOf(each), each) }))
  const { tasks: moved, figures } = differences(selected, other, tasks)
  const marked = new Set(moved.map(({ task }) => task))
  const sides = [
    { letter: 'A', candidate: selected, pick: onSelect, label: 'Candidate A (selected)' },
    { letter: 'B', candidate: other, pick: setChosen, label: 'Candidate B' },
  ]
  const longest = Math.max(selected.estimate.latencyMs.mean, other.estimate.latencyMs.mean)
  return (
    <div className="flex flex-col gap-3" data-testid="compare">
      <div className="grid grid-cols-1 md:grid-cols-2 gap-4">
        {sides.map(({ letter, candidate, pick, label }) => (
          <div key={letter} className="flex min-w-0 flex-col gap-2">
            <InlineSelect
              label={letter}
              testId={`compare-${letter}`}
              value={candidate.id}
              options={options}
              onChange={pick}
            />
            {workflow && (
              <div className="h-52 overflow-hidden rounded-md border border-line bg-canvas">
                <TaskGraph
                  workflow={workflow}
                  layout={layout}
                  placement={candidate.placement}
                  marked={marked}
                  label={`${label}, coloured by tier`}
                />
              </div>
            )}
            <StackedBar breakdown={candidate.estimate.breakdown} scale={longest} />
          </div>
        ))}
      </div>
      <PartsLegend />
      {selected.method !== other.method && (
        <p className="text-xs text-warn">
          One candidate was simulated, the other is a quick estimate. Small differences may come from that.
        </p>
      )}
      <div className="grid grid-cols-1 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] gap-4">
        <div className="flex flex-col gap-1.5 text-sm">
          <h3 className="text-sm font-semibold">
            {moved.length === 0
              ? 'Both have the same placement'
              : `${format.count(moved.length, 'task runs', 'tasks run')} on another tier`}
          </h3>
          <MovedTasks moved={moved} />
        </div>
        <FigureTable figures={figures} a={selected} b={other} />
      </div>
      {scenario && <Distributions scenario={scenario} a={selected} b={other} />}
    </div>
  )
}

function MovedTasks({ moved }: { moved: readonly Moved[] }) {
  const { first, more } = useFirst(moved, MAX_MOVED)
  return (
    <>
      <ul className="flex flex-col gap-1" data-testid="compare-moved">
        {first.map(({ task, a, b }) => (
          <li key={task} className="flex flex-wrap items-center gap-1.5">
            <span className="font-medium">{task}</span>
            <TierChip tier={a} /> <span aria-hidden="true">→</span>
            <span className="sr-only">in A, and in B</span> <TierChip tier={b} />
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

function FigureTable({ figures, a, b }: { figures: readonly Figures[]; a: Candidate; b: Candidate }) {
  return (
    <Figure title="Metrics" data={comparisonData(figures, a, b)}>
      <table className="w-full border-collapse text-[13px] tabular-nums">
        <caption className="sr-only">Metrics of A and B, and how B differs</caption>
        <thead className="text-right text-xs text-muted">
          <tr>
            <th scope="col" className="py-1 text-left font-medium">
              Metric
            </th>
            <th scope="col" className="py-1 pl-3 font-medium">
              A
            </th>
            <th scope="col" className="py-1 pl-3 font-medium">
              B
            </th>
            <th scope="col" className="py-1 pl-3 font-medium">
              B compared with A
            </th>
          </tr>
        </thead>
        <tbody>
          {figures.map((figure) => (
            <tr key={figure.label} className="border-t border-line text-right">
              <th scope="row" className="py-1 text-left font-normal">
                {figure.label}
              </th>
              <td className={`py-1 pl-3 ${figure.verdict === 'worse' ? 'font-semibold' : ''}`}>
                {figure.print(figure.a)}
              </td>
              <td className={`py-1 pl-3 ${figure.verdict === 'better' ? 'font-semibold' : ''}`}>
                {figure.print(figure.b)}
              </td>
              <td className="py-1 pl-3">
                {figure.verdict === 'same' ? (
                  <span className="text-muted">same</span>
                ) : (
                  <Badge tone={figure.verdict === 'better' ? 'ok' : 'warn'}>
                    {figure.change} {figure.verdict}
                  </Badge>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Figure>
  )
}
