import type { Workflow } from '@hivemind/workflow'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Candidate, Layout, Placement } from '../../../api/types.ts'
import { Button } from '../../../ui/Button.tsx'
import { Term } from '../../../words/Term.tsx'
import * as format from '../../reports/format.ts'
import { TaskGraph } from '../../reports/TaskGraph.tsx'
import { MethodBadge } from '../MethodBadge.tsx'
import { type MetricId, metrics } from '../metrics.ts'
import type { Scenario } from '../whatif/knobs.ts'
import { openWorker } from '../whatif/work.ts'
import { useHovered } from './hovered.ts'
import { flippable, flipped, samePlacement, type Trial } from './trial.ts'

const FIGURES: readonly MetricId[] = ['p99', 'energy', 'costPerHour']

/**
 * The workflow with a placement on it. It shows the candidate under the pointer in a plot, or the selected one; a press on a
 * tier flips the task to its next tier and shows what that changes. Edges are as thick as the bytes they carry.
 */
export function PlacementCanvas({
  scenario,
  workflow,
  layout,
  candidates,
  selected,
  onSelect,
}: {
  /** Without it nothing can be estimated: the canvas only shows. */
  scenario: Scenario | null | undefined
  workflow: Workflow
  layout: Layout | undefined
  candidates: readonly Candidate[]
  selected: Candidate
  onSelect: (id: string) => void
}) {
  const hoveredId = useHovered()
  const hovered = candidates.find(({ id }) => id === hoveredId)
  const [own, setOwn] = useState<{ from: string; placement: Placement }>()
  // What was flipped belongs to the candidate it started from.
  const flippedPlacement = own?.from === selected.id ? own.placement : undefined
  const tiers = useMemo(
    () => (scenario ? flippable(workflow, scenario.fleet) : new Map()),
    [workflow, scenario],
  )
  const placement = hovered?.placement ?? flippedPlacement ?? selected.placement
  const { trial, problem } = useTrial(scenario, selected.placement, placement)
  const weights = useMemo(() => new Map(Object.entries(trial?.bytes ?? {})), [trial])
  const listed =
    flippedPlacement && candidates.find((each) => samePlacement(each.placement, flippedPlacement))
  const flip = (task: string): void => {
    const next = flipped(flippedPlacement ?? selected.placement, task, tiers)
    setOwn(samePlacement(next, selected.placement) ? undefined : { from: selected.id, placement: next })
  }
  return (
    <div className="flex flex-col gap-2" data-testid="placement-canvas">
      <div className="h-72 overflow-hidden rounded-md border border-line bg-canvas">
        <TaskGraph
          workflow={workflow}
          layout={layout}
          placement={placement}
          weights={weights}
          flippable={tiers}
          onFlip={flip}
          label="The workflow, coloured by tier. Press a tier to flip it."
        />
      </div>
      {tiers.size > 0 && (
        <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-xs" aria-live="polite">
          {placement === selected.placement ? (
            <span className="text-muted">
              Press a <Term of="tier">tier</Term> to flip it; point at a dot of the plot to see its placement
              here. Thick edges carry more bytes over the network.
            </span>
          ) : (
            <>
              <MethodBadge method="quick" />
              {trial && !samePlacement(trial.after.placement, trial.before.placement) && (
                <Changes trial={trial} />
              )}
              {trial && !trial.after.meets && (
                <span className="text-danger">
                  {trial.after.violations[0]?.message ?? 'Violates a constraint'}
                </span>
              )}
            </>
          )}
          {flippedPlacement && !hovered && (
            <span className="ml-auto flex gap-2">
              {listed && (
                <Button className="!h-7" data-testid="trial-select" onClick={() => onSelect(listed.id)}>
                  Select this candidate
                </Button>
              )}
              <Button className="!h-7" data-testid="trial-reset" onClick={() => setOwn(undefined)}>
                Back
              </Button>
            </span>
          )}
          {problem && <span className="text-danger">{problem}</span>}
        </div>
      )}
    </div>
  )
}

/** Each figure of the tried placement, and how it differs from the selected one. */
function Changes({ trial: { before, after } }: { trial: Trial }) {
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 tabular-nums" data-testid="trial-changes">
      {FIGURES.map((id) => {
        const { label, of, print, better } = metrics[id]
        const [from, to] = [of(before.estimate), of(after.estimate)]
        const change = format.deviation(to, from)
        const gain = better === 'less' ? to < from : to > from
        return (
          <div key={id} className="flex gap-1.5">
            <dt className="text-muted">{label}</dt>
            <dd>
              {print(to)}{' '}
              <span className={from === to ? 'text-muted' : gain ? 'text-ok' : 'text-danger'}>
                {change === '–' ? `from ${print(from)}` : change}
              </span>
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** Keeps the newest estimate of a placement, by a worker. */
function useTrial(scenario: Scenario | null | undefined, before: Placement, placement: Placement) {
  const [trial, setTrial] = useState<Trial>()
  const [problem, setProblem] = useState<string>()
  const worker = useRef<ReturnType<typeof openWorker<'trial'>>>(undefined)
  useEffect(
    () => () => {
      worker.current?.close()
      worker.current = undefined
    },
    [],
  )
  useEffect(() => {
    if (!scenario) return
    worker.current ??= openWorker<'trial'>()
    let wanted = true
    worker.current.ask(
      { kind: 'trial', scenario, before, placement },
      {
        onAnswer: (answer) => {
          if (!wanted) return
          setTrial(answer)
          setProblem(undefined)
        },
        onFailure: (message) => wanted && setProblem(message),
      },
    )
    return () => {
      wanted = false
    }
  }, [scenario, before, placement])
  return { trial, problem }
}
