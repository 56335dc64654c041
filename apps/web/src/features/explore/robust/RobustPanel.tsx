import type { Robustness } from '@hivemind/placement'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Candidate } from '../../../api/types.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge, JobProgress } from '../../../ui/feedback.tsx'
import { InlineSelect } from '../../../ui/fields.tsx'
import { Panel, Scroll } from '../../../ui/Panel.tsx'
import * as format from '../../reports/format.ts'
import { PlacementChips } from '../../reports/TierChip.tsx'
import { useCandidateName } from '../CandidateNames.tsx'
import { Bar } from '../charts/Bar.tsx'
import { Figure } from '../charts/Figure.tsx'
import { representatives } from '../charts/FrontBars.tsx'
import type { Scenario } from '../whatif/knobs.ts'
import { openWorker } from '../whatif/work.ts'
import { objectiveLabel, printObjective } from '../why/tornadoBars.ts'
import { objectives, type RobustRow, robustData, robustRows } from './robustRows.ts'

/** Most candidates that are evaluated together. */
const MAX_EVALUATED = 40
/** Factors by which an assumed entry of the profile may be too high or too low. */
const factors = [
  { value: '1.5', label: '1.5' },
  { value: '2', label: '2' },
  { value: '4', label: '4' },
]

type State =
  | { kind: 'idle' }
  | { kind: 'working'; progress: number }
  | { kind: 'done'; robustness: Robustness }
  | { kind: 'failed'; message: string }

/** On request, evaluates the candidates under random deviations of the profile, and names the one with the lowest worst regret. */
export function RobustPanel({
  scenario,
  candidates,
  tasks,
  selected,
  onSelect,
}: {
  scenario: Scenario
  candidates: readonly Candidate[]
  tasks: readonly string[]
  selected: string | undefined
  onSelect: (id: string) => void
}) {
  const [state, setState] = useState<State>({ kind: 'idle' })
  const [factor, setFactor] = useState('2')
  const worker = useRef<ReturnType<typeof openWorker<'robust'>>>(undefined)
  useEffect(() => () => worker.current?.close(), [])
  const evaluated = useMemo(() => representatives(candidates, undefined, MAX_EVALUATED), [candidates])
  const front = candidates.filter((each) => each.pareto)
  const omitted = front.filter((each) => !evaluated.includes(each)).length

  const start = (by: string) => {
    worker.current ??= openWorker<'robust'>()
    setState({ kind: 'working', progress: 0 })
    const placements = evaluated.map(({ id, placement }) => ({ id, placement }))
    worker.current.askInstead(
      { kind: 'robust', scenario, placements, factor: Number(by) },
      {
        onProgress: (progress) => setState({ kind: 'working', progress }),
        onAnswer: (robustness) => setState({ kind: 'done', robustness }),
        onFailure: (message) => setState({ kind: 'failed', message }),
      },
    )
  }
  const cancel = () => {
    worker.current?.cancel()
    setState({ kind: 'idle' })
  }
  return (
    <Panel
      title="Robust choice"
      testId="robust"
      actions={
        <InlineSelect
          label="Assumed values may be off by a factor of"
          testId="robust-factor"
          value={factor}
          options={factors}
          onChange={(next) => {
            setFactor(next)
            if (state.kind !== 'idle') start(next)
          }}
        />
      }
    >
      {state.kind !== 'done' && (
        <div className="flex flex-wrap items-end gap-3">
          <p className="min-w-72 flex-1 text-sm text-muted">
            How much does the choice depend on errors of the profile? This evaluates the front and the
            baselines under 200 random draws of the profile. Measured values vary by their standard error,
            assumed values by a factor of up to {factorLabel(factor)}, up or down.
          </p>
          {state.kind === 'working' ? (
            <>
              <span className="w-72">
                <JobProgress
                  testId="robust-progress"
                  value={state.progress}
                  label="Evaluating in this browser"
                />
              </span>
              <Button data-testid="robust-cancel" onClick={cancel}>
                Cancel
              </Button>
            </>
          ) : (
            <Button data-testid="robust-start" onClick={() => start(factor)}>
              Evaluate {format.count(evaluated.length, 'candidate')}
            </Button>
          )}
        </div>
      )}
      {state.kind === 'failed' && (
        <p role="alert" className="text-sm text-danger">
          {state.message}
        </p>
      )}
      {state.kind === 'done' && (
        <RobustResult
          robustness={state.robustness}
          candidates={candidates}
          tasks={tasks}
          selected={selected}
          onSelect={onSelect}
          note={
            omitted > 0
              ? `${format.count(evaluated.length, 'candidate')} were evaluated; ${omitted.toLocaleString('en-GB')} more on the front were left out, evenly spread.`
              : undefined
          }
        />
      )}
    </Panel>
  )
}

const factorLabel = (factor: string): string => factors.find(({ value }) => value === factor)?.label ?? ''

function RobustResult({
  robustness,
  candidates,
  tasks,
  selected,
  onSelect,
  note,
}: {
  robustness: Robustness
  candidates: readonly Candidate[]
  tasks: readonly string[]
  selected: string | undefined
  onSelect: (id: string) => void
  note: ReactNode
}) {
  const rows = useMemo(() => robustRows(robustness, candidates), [robustness, candidates])
  return (
    <>
      <ul className="list-disc pl-5 text-sm" data-testid="robust-sentences">
        {robustness.sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <Figure
        title={`Results over ${format.count(robustness.inputs.samples, 'draw')} of the profile`}
        data={robustData(rows, robustness.choice)}
        note={
          <>
            Quick estimates. Regret: how much worse a candidate is than the best one of the same draw, as a
            share of the distance from best to worst, averaged over the objectives. {note}
          </>
        }
      >
        <Table rows={rows} choice={robustness.choice} tasks={tasks} selected={selected} onSelect={onSelect} />
      </Figure>
    </>
  )
}

function Table({
  rows,
  choice,
  tasks,
  selected,
  onSelect,
}: {
  rows: readonly RobustRow[]
  choice: string | null
  tasks: readonly string[]
  selected: string | undefined
  onSelect: (id: string) => void
}) {
  const nameOf = useCandidateName()
  const shares = [
    { title: 'On the front', of: ({ result }: RobustRow) => result.onFront },
    { title: 'Meets the constraints', of: ({ result }: RobustRow) => result.meets },
    { title: 'Worst regret', of: ({ result }: RobustRow) => result.worstRegret },
    { title: 'Mean regret', of: ({ result }: RobustRow) => result.meanRegret },
  ]
  return (
    <Scroll className="max-h-96 overflow-auto" label="Robustness of the candidates, scrollable">
      <table className="w-full border-collapse text-xs" data-testid="robust-table">
        <caption className="sr-only">Share of the draws on the front, constraints met, and regrets</caption>
        <thead className="text-left text-muted">
          <tr>
            <th scope="col" className="py-1 pr-3 font-medium">
              Placement
            </th>
            {shares.map(({ title }) => (
              <th key={title} scope="col" className="py-1 pr-4 font-medium">
                {title}
              </th>
            ))}
            {objectives.map((objective) => (
              <th
                key={objective}
                scope="col"
                className="py-1 pr-3 text-right font-medium"
                title={`${objectiveLabel[objective]}: largest difference from the best candidate of the same draw`}
              >
                {objectiveLabel[objective]}, worst
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const { candidate, result } = row
            return (
              <tr
                key={candidate.id}
                data-testid={`robust-row-${candidate.id}`}
                className={`border-t border-line ${candidate.id === selected ? 'bg-accent-soft' : ''}`}
              >
                <th scope="row" className="py-1 pr-3 text-left font-normal">
                  <button
                    type="button"
                    className="flex min-h-6 flex-wrap items-center gap-1.5 text-left hover:underline"
                    aria-pressed={candidate.id === selected}
                    onClick={() => onSelect(candidate.id)}
                  >
                    <PlacementChips placement={candidate.placement} tasks={tasks} />
                    {nameOf(candidate)}
                    {candidate.id === choice && <Badge tone="accent">robust choice</Badge>}
                  </button>
                </th>
                {shares.map(({ title, of }) => (
                  <td key={title} className="min-w-28 py-1 pr-4">
                    <Bar value={of(row)} max={1} text={format.share(of(row))} textWidth="w-9" />
                  </td>
                ))}
                {objectives.map((objective) => (
                  <td key={objective} className="py-1 pr-3 text-right whitespace-nowrap tabular-nums">
                    {printObjective[objective](result.regret[objective].worst)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </Scroll>
  )
}
