import type { Change, EdgeCost, Explanation, Move, Objective } from '@hivemind/placement'
import { useEffect, useState } from 'react'
import type { Candidate, Exploration } from '../../../api/types.ts'
import { Waiting } from '../../../ui/feedback.tsx'
import { InlineSelect } from '../../../ui/fields.tsx'
import { Scroll } from '../../../ui/Panel.tsx'
import { useFirst } from '../../../ui/useFirst.tsx'
import * as format from '../../reports/format.ts'
import { TierChip } from '../../reports/TierChip.tsx'
import { useWidth } from '../../reports/useWidth.ts'
import { useCandidateName } from '../CandidateNames.tsx'
import { Figure } from '../charts/Figure.tsx'
import type { Scenario } from '../whatif/knobs.ts'
import { type Ask, askOnce, openWorker, type Why } from '../whatif/work.ts'
import { limitSentences } from './limits.ts'
import { TornadoChart } from './TornadoChart.tsx'
import { objectiveLabel, objectiveName, tornadoData } from './tornadoBars.ts'

const ROWS = 5
const MAX_MOVES = 25
const objectives = Object.keys(objectiveLabel) as Objective[]

/** The request to the worker. It leaves out the other candidates' estimates per task, which are large and not needed. */
const questionOf = (scenario: Scenario, exploration: Exploration, candidate: Candidate): Ask<'why'> => ({
  kind: 'why',
  scenario,
  exploration: {
    ...exploration,
    candidates: exploration.candidates.map((each) =>
      each.id === candidate.id ? each : { ...each, estimate: { ...each.estimate, perTask: {} } },
    ),
  },
  id: candidate.id,
  placement: candidate.placement,
})

/** Explains a candidate, in a worker. */
export const explainInWorker = (
  scenario: Scenario,
  exploration: Exploration,
  candidate: Candidate,
): Promise<Why> => askOnce(questionOf(scenario, exploration, candidate))

/** The explanation of a candidate, computed in a worker; `undefined` until it is there. */
function useWhy(scenario: Scenario, exploration: Exploration, candidate: Candidate) {
  const [why, setWhy] = useState<Why>()
  const [problem, setProblem] = useState<string>()
  const [worker, setWorker] = useState<ReturnType<typeof openWorker<'why'>>>()
  useEffect(() => {
    const own = openWorker<'why'>()
    setWorker(own)
    return () => own.close()
  }, [])
  useEffect(() => {
    worker?.ask(questionOf(scenario, exploration, candidate), {
      onAnswer: (answer) => {
        setProblem(undefined)
        setWhy(answer)
      },
      onFailure: setProblem,
    })
  }, [worker, scenario, exploration, candidate])
  return { why: why?.explanation.id === candidate.id ? why : undefined, problem }
}

/** Explains the selected candidate: why it is on the front or dominated, single moves, and sensitivity to the profile. */
export function WhyPanel({
  scenario,
  exploration,
  candidate,
  onSelect,
}: {
  scenario: Scenario
  exploration: Exploration
  candidate: Candidate
  onSelect: (id: string) => void
}) {
  const { why, problem } = useWhy(scenario, exploration, candidate)
  const nameOf = useCandidateName()
  if (problem)
    return (
      <p role="alert" className="text-sm text-danger">
        {problem}
      </p>
    )
  if (!why) return <Waiting what="Computing the explanation" />
  const { explanation } = why
  return (
    <div className="flex flex-col gap-3 text-sm" data-testid="why">
      <ul className="list-disc pl-5">
        {explanation.sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        {limitSentences(why.limits).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {explanation.dominatedBy && (
        <button
          type="button"
          className="min-h-6 self-start text-accent-strong hover:underline"
          onClick={() => explanation.dominatedBy && onSelect(explanation.dominatedBy.id)}
        >
          Show {nameOf(explanation.dominatedBy)}, which is better in every way
        </button>
      )}
      <Edges edges={explanation.edges} />
      <Moves explanation={explanation} exploration={exploration} onSelect={onSelect} />
      <Tornado why={why} />
    </div>
  )
}

const channels: Record<EdgeCost['channel'], string> = {
  wire: 'where it is',
  up: 'up the link',
  down: 'down the link',
  toNode: 'to the edge node',
  fromNode: 'from the edge node',
  nodeUp: 'edge node to cloud',
  nodeDown: 'cloud to edge node',
  handOver: 'between functions',
}

function Edges({ edges }: { edges: readonly EdgeCost[] }) {
  if (edges.length === 0) return null
  return (
    <Figure
      title="Edges that add most to the latency"
      data={{
        name: 'edges',
        head: ['from', 'to', 'channel', 'timeMs', 'bytesToOrFromCloud'],
        rows: () => edges.map((edge) => [edge.from, edge.to, edge.channel, edge.timeMs, edge.bytes]),
      }}
    >
      <table className="w-full text-xs tabular-nums">
        <caption className="sr-only">Edges of the workflow, the slowest first</caption>
        <tbody>
          {edges.slice(0, ROWS).map((edge) => (
            <tr key={`${edge.from} ${edge.to}`} className="border-t border-line">
              <th scope="row" className="py-1 text-left font-normal">
                {edge.from} → {edge.to}
              </th>
              <td className="py-1 pl-2 text-muted">{channels[edge.channel]}</td>
              <td className="py-1 pl-2 text-right whitespace-nowrap">{format.time(edge.timeMs)}</td>
              <td className="py-1 pl-2 text-right whitespace-nowrap text-muted">
                {edge.bytes > 0 ? `${format.bytes(edge.bytes)} per run` : '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Figure>
  )
}

const changeText = ({ from, to, share }: Change): string =>
  from === to || (share !== null && Math.abs(share) < 0.005)
    ? '–'
    : share === null
      ? 'from nothing'
      : format.deviation(to, from)

function Moves({
  explanation,
  exploration,
  onSelect,
}: {
  explanation: Explanation
  exploration: Exploration
  onSelect: (id: string) => void
}) {
  const listed = new Set(exploration.candidates.map((each) => each.id))
  const { moves, tried } = explanation
  const { first, more } = useFirst(moves, MAX_MOVES)
  if (moves.length === 0) return <p className="text-muted">No single task can run on another tier.</p>
  return (
    <Figure
      title="Effect of moving one task"
      note={tried.tasks < tried.of && `Evaluated for ${triedText(tried)}.`}
      data={{
        name: 'moves',
        head: ['task', 'from', 'to', 'candidate', 'method', ...objectives],
        rows: () =>
          moves.map((move) => [
            move.task,
            move.from,
            move.to,
            move.id,
            move.method,
            ...objectives.map((objective) => move.changes[objective].to),
          ]),
      }}
    >
      <Scroll className="max-h-64 overflow-auto" label="Moves of single tasks, scrollable">
        <table className="w-full text-xs tabular-nums">
          <caption className="sr-only">Moves of one task, the largest change first</caption>
          <thead className="text-right text-muted">
            <tr>
              <th scope="col" className="py-1 text-left font-medium">
                Move
              </th>
              {objectives.map((objective) => (
                <th key={objective} scope="col" className="py-1 pl-2 font-medium">
                  {objectiveName[objective]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {first.map((move) => (
              <tr key={`${move.task} ${move.to}`} className="border-t border-line">
                <th scope="row" className="py-1 text-left font-normal">
                  <MoveName move={move} onSelect={listed.has(move.id) ? onSelect : undefined} />
                </th>
                {objectives.map((objective) => (
                  <td key={objective} className="py-1 pl-2 text-right">
                    {changeText(move.changes[objective])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {more}
    </Figure>
  )
}

const triedText = ({ tasks, of }: Explanation['tried']): string =>
  `the ${tasks.toLocaleString('en-GB')} of ${of.toLocaleString('en-GB')} tasks that take longest`

function MoveName({ move, onSelect }: { move: Move; onSelect: ((id: string) => void) | undefined }) {
  const name = (
    <>
      {move.task} to <TierChip tier={move.to} />
    </>
  )
  return onSelect ? (
    <button type="button" className="min-h-6 text-left hover:underline" onClick={() => onSelect(move.id)}>
      {name}
    </button>
  ) : (
    <span>{name}</span>
  )
}

function Tornado({ why }: { why: Why }) {
  const [objective, setObjective] = useState<Objective>('latency')
  const { box, width } = useWidth(560)
  const swings = why.tornado[objective]
  const { tried } = why.explanation
  return (
    <Figure
      title="Sensitivity to the profile"
      data={tornadoData(objective, swings)}
      note={`Quick estimates, with each entry of the profile 20% lower (blue) and 20% higher (orange).${tried.tasks < tried.of ? ` Evaluated for ${triedText(tried)}.` : ''}`}
    >
      <div className="self-start">
        <InlineSelect
          label="Metric"
          testId="tornado-objective"
          value={objective}
          options={objectives.map((value) => ({ value, label: objectiveLabel[value] }))}
          onChange={setObjective}
        />
      </div>
      <div ref={box} data-testid="tornado" className="min-w-0">
        {swings.length > 0 ? (
          <TornadoChart objective={objective} swings={swings} width={width} />
        ) : (
          <p className="text-xs text-muted">No entry of the profile changes this metric.</p>
        )}
      </div>
    </Figure>
  )
}
