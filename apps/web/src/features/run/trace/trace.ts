/** The trace of one item as rows of a chart, and the ways between spans, log lines and values. Pure. */
import { ItemPaths, type PathStep } from '@hivemind/orchestrator'
import { tierRow } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import type { LogLine, RunOutput, Span } from '../../../api/types.ts'

/** Names an invocation. */
export interface SpanKey {
  task: string
  /** Name of the device, or `*` for the whole swarm. */
  device: string
  seq: number
}

export const sameSpan = (a: SpanKey | undefined, b: SpanKey | undefined): boolean =>
  a !== undefined && b !== undefined && a.task === b.task && a.device === b.device && a.seq === b.seq

/** A row of the trace: an invocation, or the way of a result to the next one. Times in ms on the clock of the spans. */
export type TraceRow = { from: number; to: number } & (
  | { kind: 'span'; step: PathStep; index: number }
  | { kind: 'link'; source: Span; target: Span }
)

export interface Trace {
  from: number
  to: number
  rows: TraceRow[]
}

/** The trace of an item that went through an invocation; `undefined` when that is not among the spans. */
export function traceOf(paths: ItemPaths, item: SpanKey): Trace | undefined {
  const steps = paths.pathOf(item)
  if (steps.length === 0) return undefined
  const rows = steps.flatMap((step, index): TraceRow[] => {
    const first = step.tries[0] ?? step.span
    const links = step.inputs.flatMap((input): TraceRow[] => {
      const source = steps[input.step]?.span
      return source && input.crosses
        ? [{ kind: 'link', source, target: step.span, from: input.leftAt, to: input.readyAt }]
        : []
    })
    return [...links, { kind: 'span', step, index, from: first.queuedAt, to: step.span.endedAt }]
  })
  return {
    from: Math.min(...rows.map(({ from }) => from)),
    to: Math.max(...rows.map(({ to }) => to)),
    rows,
  }
}

/** The paths through a run; `undefined` while its workflow is not known, or has a cycle. */
export function pathsOf(workflow: Workflow | null, spans: readonly Span[]): ItemPaths | undefined {
  if (!workflow) return undefined
  try {
    return new ItemPaths(workflow, spans)
  } catch {
    return undefined
  }
}

/** Clocks of devices are only known to about this much, in ms. */
const CLOCK_SLACK_MS = 5

/** The lines that were logged while an invocation ran, by its task and device. */
export const linesOf = (span: Span, logs: readonly LogLine[]): LogLine[] =>
  logs.filter(({ at, source, device }) => source === span.task && isOf(span, device) && covers(span, at))

const isOf = (span: Span, device: string | undefined): boolean =>
  device === undefined || span.device === '*' || device === span.device
const covers = ({ queuedAt, endedAt }: Span, at: number): boolean =>
  at >= queuedAt - CLOCK_SLACK_MS && at <= endedAt + CLOCK_SLACK_MS

/** The invocation that logged a line: of those that cover it in time, the one that started last before it. */
export function spanOfLine({ at, source, device }: LogLine, spans: readonly Span[]): Span | undefined {
  const own = spans.filter((span) => span.task === source && isOf(span, device) && covers(span, at))
  const started = own.filter(({ startedAt }) => startedAt <= at + CLOCK_SLACK_MS)
  return started.sort((a, b) => b.startedAt - a.startedAt)[0] ?? own[0]
}

/** The kept outputs of an invocation. A generator's have numbers of their own and belong to its one invocation. */
export const outputsOf = (span: Span, outputs: readonly RunOutput[]): RunOutput[] =>
  outputs.filter(
    ({ task, device, seq }) =>
      task === span.task && device === span.device && (span.items > 1 || seq === span.seq),
  )

/** The kept values that an invocation took in. */
export const inputsOf = (span: Span, paths: ItemPaths, outputs: readonly RunOutput[]): RunOutput[] =>
  paths
    .inputsOf(span)
    .flatMap((each) =>
      outputsOf(each, outputs).filter(
        ({ seq }) => each.items <= 1 || span.device === '*' || seq === span.seq,
      ),
    )

/** The invocation that gave an output. */
export const spanOfOutput = ({ task, device, seq }: RunOutput, paths: ItemPaths): Span | undefined =>
  paths.find({ task, device, seq }) ?? paths.find({ task, device, seq: 0 })

/** Where something ran, in words. */
export const placeOf = ({ device, tier, worker }: Pick<Span, 'device' | 'tier' | 'worker'>): string =>
  tierRow(tier).perDevice ? (device === '*' ? worker : device) : tier

/** `item 3 of device-2`, `plan, whole swarm`. */
export const nameOf = ({ task, device, seq }: SpanKey): string =>
  device !== '*' ? `item ${seq} of ${device}` : `${task}, whole swarm${seq === 0 ? '' : `, item ${seq}`}`
