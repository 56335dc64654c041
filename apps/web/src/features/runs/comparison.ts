/** Two runs held against each other: which is slower, whether that is more than noise, and what makes it. Pure. */
import { latencyOf, quantile, timingsOf } from '@hivemind/orchestrator'
import { emitsStream } from '@hivemind/swarm'
import { swarmWideTasks, topologicalOrder, type Workflow } from '@hivemind/workflow'
import type { Placement, RunDetail, Span, TaskStatistics, Tier } from '../../api/types.ts'

/** What is compared of a run. */
export interface ComparedRun {
  result: RunDetail['result']
  workflow: Workflow
  placement: Placement
  /** Figures of each task over all invocations. */
  statistics: readonly TaskStatistics[]
  /** At most the first `MAX_SPANS` invocations, for spreads and times end to end. */
  spans: readonly Span[]
}

/** Times measured in one run, in ms. `p50Ms`, `p99Ms` and `spreadMs` are `NaN` without any. */
export interface Sample {
  count: number
  p50Ms: number
  p99Ms: number
  /** Interquartile spread: from the first quartile to the third. */
  spreadMs: number
}

/** Minimum number of times in each run, so that their medians are compared. */
export const MIN_SAMPLES = 5

/** How the second sample is beside the first: `few` times to tell, within the `noise`, or beyond it. */
export type Verdict = 'few' | 'noise' | 'slower' | 'faster'

/** One task in both runs; a side is absent where the task did not run. */
export interface ComparedTask {
  task: string
  first: TaskStatistics | undefined
  second: TaskStatistics | undefined
  verdict: Verdict
  /** Whether every item waits for it: it neither emits a stream at its own pace nor works behind a barrier. */
  isOfItem: boolean
}

export interface RunComparison {
  endToEnd: { first: Sample; second: Sample; verdict: Verdict }
  /** Tasks of the second run, parents first, then those that only the first one has. */
  tasks: ComparedTask[]
  /** Tasks of both that were placed on another tier. */
  moved: { task: string; from: Tier; to: Tier }[]
}

/** Count, median, 99th percentile and interquartile spread of times in ms. */
export function sampleOf(times: readonly number[]): Sample {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted.length === 0 ? Number.NaN : quantile(sorted, share))
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), spreadMs: at(0.75) - at(0.25) }
}

/**
 * Compares the medians of two samples. With fewer than `MIN_SAMPLES` times in either it is `few`; a difference that is not
 * greater than the greater interquartile spread of the two is `noise`.
 */
export function verdictOf(first: Sample, second: Sample): Verdict {
  if (Math.min(first.count, second.count) < MIN_SAMPLES) return 'few'
  const difference = second.p50Ms - first.p50Ms
  if (Math.abs(difference) <= Math.max(first.spreadMs, second.spreadMs)) return 'noise'
  return difference > 0 ? 'slower' : 'faster'
}

/** Compares two runs, end to end and task by task. */
export function compareRuns(first: ComparedRun, second: ComparedRun): RunComparison {
  const [before, after] = [endToEnd(first), endToEnd(second)]
  const [timesBefore, timesAfter] = [taskTimes(first.spans), taskTimes(second.spans)]
  const [figuresBefore, figuresAfter] = [byTask(first.statistics), byTask(second.statistics)]
  const [pacedBefore, pacedAfter] = [notOfItems(first.workflow), notOfItems(second.workflow)]
  const names = new Set([...orderOf(second.workflow), ...orderOf(first.workflow)])
  const tasks = [...names]
    .filter((task) => figuresBefore.has(task) || figuresAfter.has(task))
    .map(
      (task): ComparedTask => ({
        task,
        first: figuresBefore.get(task),
        second: figuresAfter.get(task),
        verdict: verdictOf(sampleOf(timesBefore.get(task) ?? []), sampleOf(timesAfter.get(task) ?? [])),
        isOfItem: !pacedBefore.has(task) && !pacedAfter.has(task),
      }),
    )
  const moved = [...names].flatMap((task) => {
    const [from, to] = [first.placement[task], second.placement[task]]
    return from && to && from !== to ? [{ task, from, to }] : []
  })
  return { endToEnd: { first: before, second: after, verdict: verdictOf(before, after) }, tasks, moved }
}

const byTask = (statistics: readonly TaskStatistics[]) => new Map(statistics.map((row) => [row.task, row]))

const endToEnd = ({ workflow, result, spans }: ComparedRun): Sample =>
  sampleOf(timingsOf(workflow, { ...result, spans: [...spans] }).endToEnd)

function taskTimes(spans: readonly Span[]): Map<string, number[]> {
  const times = new Map<string, number[]>()
  for (const span of spans) {
    if (span.status !== 'ok') continue
    const own = times.get(span.task)
    if (own) own.push(latencyOf(span))
    else times.set(span.task, [latencyOf(span)])
  }
  return times
}

/** Tasks whose time is in no item's time end to end: those that emit a stream, and those behind a barrier. */
function notOfItems(workflow: Workflow): ReadonlySet<string> {
  const paced = workflow.tasks.filter((task) => emitsStream(workflow, task)).map(({ name }) => name)
  return new Set([...paced, ...swarmWideTasks(workflow)])
}

const orderOf = (workflow: Workflow): string[] => topologicalOrder(workflow).map(({ name }) => name)
