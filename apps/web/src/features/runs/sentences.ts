/** A comparison of two runs in sentences. Pure. The rules are in docs/runs.md, "Two runs". */
import type { Breakdown } from '../../api/types.ts'
import * as format from '../reports/format.ts'
import { tierLabel } from '../reports/tiers.ts'
import { causes } from '../run/estimate/deviation.ts'
import { type ComparedTask, MIN_SAMPLES, type RunComparison } from './comparison.ts'

/** The comparison in sentences: times first, then the tasks that moved and the invocations that failed, if any. */
export function sentencesOf(comparison: RunComparison): string[] {
  const moved = comparison.moved.map(
    ({ task, from, to }) => `${task} from ${tierLabel[from]} to ${tierLabel[to]}`,
  )
  const failed = (side: 'first' | 'second') =>
    comparison.tasks.reduce((sum, task) => sum + (task[side]?.failed ?? 0), 0)
  const [before, after] = [failed('first'), failed('second')]
  return [
    timeSentence(comparison),
    ...(moved.length > 0 ? [`Moved to another tier: ${moved.join(', ')}.`] : []),
    ...(before + after > 0
      ? [
          `Failed invocations: ${format.whole(before)} in the first run, ${format.whole(after)} in the second.`,
        ]
      : []),
  ]
}

function timeSentence({ endToEnd: { first, second, verdict }, tasks }: RunComparison): string {
  if (verdict === 'few')
    return `Too few items to compare: ${format.whole(first.count)} in the first run and ${format.whole(second.count)} in the second; ${MIN_SAMPLES} of each are needed.`
  const [before, after] = [format.time(first.p50Ms), format.time(second.p50Ms)]
  if (verdict === 'noise')
    return `Within the noise: an item takes ${before} end to end in the first run and ${after} in the second, and the middle half of the items of one run spreads over ${format.time(Math.max(first.spreadMs, second.spreadMs))}.`
  const difference = Math.abs(second.p50Ms - first.p50Ms)
  const by = first.p50Ms > 0 ? format.share(difference / first.p50Ms) : format.time(difference)
  const cause = causeOf(tasks, verdict)
  return `The second run is ${by} ${verdict} end to end (${after} an item instead of ${before}); ${cause}.`
}

/** Difference of the medians of a task, in ms; 0 where it ran in one of the runs only. */
const differenceOf = ({ first, second }: ComparedTask): number =>
  first && second ? second.p50Ms - first.p50Ms : 0

/**
 * The task with the largest difference that pulls the way of the whole and is beyond the noise. It is "most of it" when it
 * makes at least half of all that pulls this way.
 */
function causeOf(tasks: readonly ComparedTask[], verdict: 'slower' | 'faster'): string {
  const sign = verdict === 'slower' ? 1 : -1
  const pulling = tasks
    .filter((task) => task.isOfItem && sign * differenceOf(task) > 0)
    .sort((a, b) => sign * (differenceOf(b) - differenceOf(a)))
  const largest = pulling.find((task) => task.verdict === verdict)
  if (!largest?.first || !largest.second) return 'no single task differs beyond the noise'
  const own = Math.abs(differenceOf(largest))
  const all = pulling.reduce((sum, task) => sum + Math.abs(differenceOf(task)), 0)
  const share = own >= all / 2 ? 'most of it is' : 'the largest part is'
  const part = partOf(largest.first.breakdown, largest.second.breakdown, sign)
  return `${share} ${largest.task}, ${format.time(own)} ${sign > 0 ? 'more' : 'less'}${part ? `, mostly ${part}` : ''}`
}

/** The part that makes at least half of what pulls one way, by the mean parts of an invocation; `undefined` if none does. */
function partOf(first: Breakdown, second: Breakdown, sign: number): string | undefined {
  const pulling = causes
    .map(({ part, name }) => ({ name, ms: sign * (second[part] - first[part]) }))
    .filter(({ ms }) => ms > 0)
  const all = pulling.reduce((sum, { ms }) => sum + ms, 0)
  return pulling.find(({ ms }) => ms >= all / 2)?.name
}
