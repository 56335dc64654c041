/** What calls take on the local target, as the spans of real runs show it. */
import type { Span } from '@hivemind/orchestrator'
import {
  completeProfile,
  type Distribution,
  deviceCount,
  emitsStream,
  type Fleet,
  type Profile,
  quantileOf,
  type TierProfile,
} from '@hivemind/swarm'
import type { ModelTask } from '@hivemind/swarm-sim'
import type { Workflow } from '@hivemind/workflow'
import { medianOf } from './median.ts'
import { distribution, profileOf } from './profile.ts'
import { type Shown, streamOf } from './streams.ts'

/**
 * Default cost of sending one item from an agent to the service, excluding the link, in ms. Used when no run has measured
 * it. Measured on examples/hello-swarm, see docs/bench/item-path.md.
 */
export const ITEM_TO_SERVICE_MS = 1.4

/** What calls take, where runs have shown it: the profile's times then have it in them. */
export interface Calls {
  /** What calls have the cores work on for each task (`ModelTask`). */
  tasks: Record<
    string,
    Pick<ModelTask, 'arrivalMs' | 'besideMs' | 'begin' | 'endMs'> & Partial<Pick<ModelTask, 'computes'>>
  >
  /** Time between two items of each sensor, in ms, where runs have shown it. */
  gapMs?: Record<string, number>
  /** Jobs of others that the machine had to do meanwhile, on average. */
  others: number
}

/** Quantiles of a profile for a simulation of tails: a hundred and one. */
const STEPS = 100

/**
 * The profile that runs show, with what each call takes as part of its task's time: of each quantile the median over the
 * runs, as measured figures are medians over runs.
 */
export function profileWithCalls(workflow: Workflow, runs: readonly Shown[], note: string): Profile {
  const sensors = sensorsOf(workflow)
  const onCore = onCoreOf(runs)
  const called = runs.map(({ spans }) => {
    const callMs = callMsIn(spans, sensors)
    return spans.map((span): Span => {
      const waited = sensors.has(span.task) ? 1 : onCore
      const execution = span.breakdown.execution + callMs(span) * waited
      return { ...span, breakdown: { ...span.breakdown, execution } }
    })
  })
  const profiles = called.map((spans) => profileOf(workflow, spans, note, STEPS))
  const whole = profileOf(workflow, called.flat(), note, STEPS)
  const typical = (pick: (profile: Profile) => TierProfile | undefined): TierProfile | undefined => {
    const one = pick(whole)
    const each = profiles.flatMap((profile) => pick(profile) ?? [])
    return one && { ...one, serviceMs: typicalOf(each.map(({ serviceMs }) => serviceMs)) }
  }
  const tasks = Object.keys(whole.tasks).map((name) => {
    const cloud = typical(({ tasks: of }) => of[name]?.cloud)
    const edge = typical(({ tasks: of }) => of[name]?.edge)
    return [name, { origin: 'measured' as const, ...(cloud && { cloud }), ...(edge && { edge }) }]
  })
  return { ...whole, tasks: Object.fromEntries(tasks) }
}

const sensorsOf = (workflow: Workflow): ReadonlySet<string> =>
  new Set(workflow.tasks.filter((task) => emitsStream(workflow, task)).map(({ name }) => name))

/**
 * What the call itself took of each invocation of a run, in ms. On an agent also what is between its input and its call: what that
 * takes where no other invocation on the device is in the way; where one is, the typical time of the others.
 */
function callMsIn(spans: readonly Span[], sensors: ReadonlySet<string>): (span: Span) => number {
  const before = beforeCallMs(spans.filter(({ task, tier }) => tier === 'edge' && !sensors.has(task)))
  return (span) => span.breakdown.dataExchange + (before.get(span) ?? 0)
}

/** From the input of each of these invocations on agents to its call, in ms, without the wait for others on the device. */
function beforeCallMs(spans: readonly Span[]): ReadonlyMap<Span, number> {
  const busyUntil = new Map<string, number>()
  const free = new Map<string, number[]>()
  const alone = new Map<Span, number>()
  for (const span of spans.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const { task, worker, queuedAt, startedAt, breakdown } = span
    const busy = busyUntil.get(worker) ?? Number.NEGATIVE_INFINITY
    if (busy <= queuedAt) {
      alone.set(span, Math.max(0, startedAt - queuedAt))
      free.set(task, [...(free.get(task) ?? []), Math.max(0, startedAt - queuedAt)])
    }
    busyUntil.set(worker, Math.max(busy, startedAt + breakdown.execution + breakdown.dataExchange))
  }
  const typical = new Map([...free].map(([task, all]) => [task, medianOf(all)]))
  return new Map(spans.map((span) => [span, alone.get(span) ?? typical.get(span.task) ?? 0]))
}

/**
 * The share of the time of calls that was not spent on waiting for a core, as far as the invocations that were under way at the same
 * time explain that. The rest of the wait remains.
 */
const onCoreOf = (runs: readonly Shown[]): number =>
  runs.length > 0 ? sumBy(runs, (run) => Math.max(run.cores.onCore, sharedOf(run))) / runs.length : 1

/** The share of a core that an invocation had on average, with all that were under way sharing the cores evenly. */
function sharedOf({ spans, cores: { cores, others } }: Shown): number {
  const changes = spans.flatMap(({ items, startedAt, breakdown: { execution, dataExchange } }) =>
    items > 1
      ? []
      : [
          { at: startedAt, by: 1 },
          { at: startedAt + execution + dataExchange, by: -1 },
        ],
  )
  let [underWay, had, wanted, before] = [0, 0, 0, 0]
  for (const { at, by } of changes.sort((a, b) => a.at - b.at)) {
    const ms = underWay * (at - before)
    wanted += ms
    had += ms * Math.min(1, cores / (underWay + others))
    underWay += by
    before = at
  }
  return wanted > 0 ? had / wanted : 1
}

const sumBy = <T>(of: readonly T[], value: (each: T) => number): number =>
  of.reduce((sum, each) => sum + value(each), 0)

/**
 * What calls took in these runs, on `machineFleet`. What the processes did beside the code of tasks and the calls that
 * somebody waits for, nobody waits for: it is shared out evenly over the items.
 */
export function callsOf(workflow: Workflow, runs: readonly Shown[], fleet: Fleet): Calls {
  const sensors = sensorsOf(workflow)
  const onCore = onCoreOf(runs)
  const spans = runs.flatMap((run) => run.spans).filter(({ status }) => status === 'ok')
  const callMs = callMsIn(spans, sensors)
  const arrivals = new Map(
    workflow.tasks.map(({ name }) => [
      name,
      itemToServiceMsOf(
        spans.filter(({ task }) => task === name),
        fleet,
      ) * onCore,
    ]),
  )
  const waitedFor = sumBy(spans, (span) => {
    const { network, execution } = span.breakdown
    const arrivalMs = span.tier === 'edge' && network > 0 ? span.items * (arrivals.get(span.task) ?? 0) : 0
    return (sensors.has(span.task) ? 0 : execution + onCore * callMs(span)) + arrivalMs
  })
  const items = sumBy(spans, (span) => span.items)
  const besideMs = Math.max(0, sumBy(runs, ({ cores }) => cores.workMs) - waitedFor) / Math.max(1, items)
  const streams = new Map(
    workflow.tasks.flatMap((task) => {
      const stream = sensors.has(task.name) ? streamOf(task, runs, deviceCount(fleet)) : null
      return stream ? [[task.name, stream]] : []
    }),
  )
  return {
    tasks: Object.fromEntries(
      workflow.tasks.map(({ name }) => {
        const { begin, endMs } = streams.get(name) ?? {}
        const arrivalMs = arrivals.get(name) ?? ITEM_TO_SERVICE_MS
        return [name, { arrivalMs, besideMs, ...(begin && { begin, endMs }) }]
      }),
    ),
    gapMs: Object.fromEntries([...streams].map(([name, { gapMs }]) => [name, gapMs])),
    others: sumBy(runs, ({ cores }) => cores.others) / Math.max(1, runs.length),
  }
}

/** The distribution whose quantiles are the medians of those of others. */
function typicalOf(distributions: readonly Distribution[]): Distribution {
  const quantiles = Array.from({ length: STEPS + 1 }, (_, index) =>
    medianOf(distributions.map((each) => each.quantiles[index] ?? 0)),
  )
  const ends = ((quantiles[0] ?? 0) + (quantiles[STEPS] ?? 0)) / 2
  return {
    mean: (quantiles.reduce((sum, value) => sum + value, 0) - ends) / STEPS,
    quantiles,
    samples: distributions.reduce((sum, { samples }) => sum + samples, 0),
  }
}

/**
 * A profile that knows no calls, with what calls took in these runs (of each quantile the median over them) as part of the
 * times of their tasks, the longest call with the longest code; a sensor's in proportion to its items. Only the calls
 * are taken from the spans, no time of their code. Jobs of others are unknown: none.
 */
export function withCalls(
  workflow: Workflow,
  profile: Profile | undefined,
  runs: readonly (readonly Span[])[],
  fleet: Fleet,
): { profile: Profile; calls: Calls } {
  const known = completeProfile(workflow, profile)
  const sensors = sensorsOf(workflow)
  const callMs = callMsIn(runs.flat(), sensors)
  const calls: Calls['tasks'] = {}
  const tasks = Object.entries(known.tasks).map(([task, of]) => {
    const own = runs
      .map((spans) => spans.filter((span) => span.task === task && span.status === 'ok'))
      .filter(({ length }) => length > 0)
    const tier = own[0]?.[0]?.tier === 'edge' ? 'edge' : 'cloud'
    const { serviceMs, outputsPerInvocation } = of[tier]
    // on the fabric a call works on no core
    if (own.length === 0 || own[0]?.[0]?.tier === 'fabric') return [task, of]
    const ownCallMs = (span: Span): number =>
      callMs(span) * (sensors.has(task) ? outputsPerInvocation / Math.max(1, span.items) : 1)
    const called = sumOf(serviceMs, typicalOf(own.map((spans) => distribution(spans.map(ownCallMs), STEPS))))
    calls[task] = {
      computes: called.mean > 0 ? serviceMs.mean / called.mean : 1,
      arrivalMs: itemToServiceMsOf(own.flat(), fleet),
    }
    return [task, { ...of, [tier]: { ...of[tier], serviceMs: called } }]
  })
  return {
    profile: { ...known, tasks: Object.fromEntries(tasks) },
    calls: { tasks: calls, others: 0 },
  }
}

/** The sum of two that are large together. */
function sumOf(a: Distribution, b: Distribution): Distribution {
  const at = (share: number): number => quantileOf(a.quantiles, share) + quantileOf(b.quantiles, share)
  return {
    mean: a.mean + b.mean,
    quantiles: Array.from({ length: STEPS + 1 }, (_, index) => at(index / STEPS)),
    samples: Math.min(a.samples, b.samples),
  }
}

/**
 * What an item takes from an agent to the service of this fleet (`machineFleet`): the median over the last items of the
 * invocations that sent any, less the delay of the link, and the air, which on average half of the other agents take first.
 */
export function itemToServiceMsOf(spans: readonly Span[], fleet: Fleet): number {
  const { uplink } = fleet
  const others = uplink.kind === 'wireless' ? (deviceCount(fleet) - 1) / 2 : 0
  const beside = spans
    .filter(
      ({ tier, status, items, breakdown }) =>
        tier === 'edge' && status === 'ok' && items > 0 && breakdown.network > 0,
    )
    .map(({ breakdown, bytesOut, items }) => {
      const airMs = (bytesOut * 8) / items / (uplink.bandwidthMbps * 1000)
      return Math.max(0, breakdown.network - uplink.delayMs - airMs * (1 + others))
    })
  return beside.length > 0 ? medianOf(beside) : ITEM_TO_SERVICE_MS
}
