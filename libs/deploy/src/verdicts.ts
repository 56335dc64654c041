/** How a run did on the workflow's constraints: measured while it goes on, judged at its end, in bounded memory for each item. */
import type { ConstraintResult, RunEvent, RunOutcome, Span } from '@hivemind/orchestrator'
import type { Plan, PlanTask } from '@hivemind/synthesis'
import type { Constraint } from '@hivemind/workflow'

export interface Meter {
  take(event: RunEvent): void
  /** One verdict for each constraint that this run could be measured by; empty when it did not succeed. */
  verdicts(outcome: Pick<RunOutcome, 'state' | 'startedAt' | 'endedAt'>): ConstraintResult[]
}

/** First and last instant of one item, ms since 1970. */
interface Way {
  from: number
  to: number
}

/**
 * Measures a run by its constraints. `latency` is the p99 over items of the time from the first task that worked on an item
 * to the end of the last one before a barrier; `throughput` is items a second over the whole run. Money, energy and power
 * cannot be measured on this target: they have no verdict.
 */
export function judge(plan: Plan, constraints: readonly Constraint[]): Meter {
  const byName = new Map(plan.tasks.map((task) => [task.name, task]))
  const perItem = constraints.some(({ key }) => key === 'latency' || key === 'throughput')
  const ways = new Map<string, Way>()
  return {
    take: (event) => {
      if (!perItem || event.type !== 'span' || event.span.status !== 'ok') return
      const task = byName.get(event.span.task)
      if (task && countsForItems(task, plan)) widen(ways, event.span)
    },
    verdicts: ({ state, startedAt, endedAt }) =>
      state === 'succeeded'
        ? constraints.flatMap((constraint) => {
            const value = measuredBy(constraint, { startedAt, endedAt }, ways)
            return value === null ? [] : [verdictOf(constraint, value)]
          })
        : [],
  }
}

/** Tasks that are called for each item; in a workflow without streams, all that run for each device. */
function countsForItems(task: PlanTask, plan: Plan): boolean {
  if (task.scope === 'swarm') return false
  return task.kindIn === 'stream' || plan.tasks.every(({ kindOut }) => kindOut === 'object')
}

function widen(ways: Map<string, Way>, { device, seq, queuedAt, endedAt }: Span): void {
  const key = `${device} ${seq}`
  const way = ways.get(key)
  if (!way) ways.set(key, { from: queuedAt, to: endedAt })
  else {
    way.from = Math.min(way.from, queuedAt)
    way.to = Math.max(way.to, endedAt)
  }
}

function measuredBy(
  { key }: Constraint,
  run: { startedAt: number; endedAt: number },
  ways: Map<string, Way>,
): number | null {
  const took = run.endedAt - run.startedAt
  if (key === 'execTime') return took
  if (ways.size === 0) return null
  if (key === 'throughput') return took > 0 ? ways.size / (took / 1000) : null
  if (key !== 'latency') return null
  const sorted = [...ways.values()].map(({ from, to }) => to - from).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)] ?? null
}

function verdictOf({ key, limit }: Constraint, value: number): ConstraintResult {
  const atLeast = key === 'throughput'
  const met = atLeast ? value >= limit.value : value <= limit.value
  const share = limit.value > 0 ? Math.abs(value / limit.value - 1) : 0
  const text = `${WORDS[key] ?? key} ${amount(key, value)}, ${atLeast ? 'at least' : 'at most'} ${limit.text} ${met ? 'was asked for' : `was asked for: missed by ${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`}.`
  return { key, limit: limit.value, value, met, text }
}

const WORDS: Record<string, string> = {
  execTime: 'The run took',
  latency: 'The p99 latency of an item was',
  throughput: 'The swarm finished',
}

const amount = (key: string, value: number): string =>
  key === 'throughput'
    ? `${value.toFixed(2)} items/s`
    : value < 1000
      ? `${value.toFixed(1)} ms`
      : `${(value / 1000).toFixed(2)} s`
