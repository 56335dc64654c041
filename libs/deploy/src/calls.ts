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
import type { Workflow } from '@hivemind/workflow'
import { distribution, profileOf } from './profile.ts'

/** Of each item between an agent and the gateway beside the link, in ms, where runs have not shown it. */
export const GATEWAY_CALL_MS = 4

/** What calls take, where runs have shown it: the profile's times then have it in them. */
export interface Calls {
  /** Of each item between an agent and the gateway beside the link, in ms. */
  gatewayMs: number
  /** Of each task the share of its time that is its code: calls are not slowed down again by what slowed them. */
  codeShares: Record<string, number>
  /** Jobs of others that the machine had to do meanwhile, on average. */
  others: number
}

/** Quantiles of a profile for a simulation of tails: a hundred and one. */
const STEPS = 100

/**
 * The profile that runs show, with what each call takes as part of its task's time: of each quantile the median over the
 * runs, as measured figures are medians over runs. Of what happens on an agent after the end of the code only the pace of
 * a sensor knows: no time of a task does (see `Timings`).
 */
export function profileWithCalls(
  workflow: Workflow,
  runs: readonly (readonly Span[])[],
  note: string,
): Profile {
  const sensors = sensorsOf(workflow)
  const called = (span: Span): Span => {
    const execution = span.breakdown.execution + callMsOf(span, sensors)
    return { ...span, breakdown: { ...span.breakdown, execution } }
  }
  const profiles = runs.map((spans) => profileOf(workflow, spans.map(called), note, STEPS))
  const whole = profileOf(workflow, runs.flat().map(called), note, STEPS)
  const typical = (pick: (profile: Profile) => TierProfile | undefined): TierProfile | undefined => {
    const all = pick(whole)
    const each = profiles.flatMap((profile) => pick(profile) ?? [])
    return all && { ...all, serviceMs: typicalOf(each.map(({ serviceMs }) => serviceMs)) }
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

/** What the call itself took of an invocation, as far as it is part of its task's time. */
function callMsOf({ task, tier, breakdown, startedAt, endedAt }: Span, sensors: ReadonlySet<string>): number {
  const { execution, dataExchange, network } = breakdown
  const after = Math.max(0, endedAt - startedAt - execution - network)
  return tier === 'cloud' || sensors.has(task) ? dataExchange : Math.max(0, dataExchange - after)
}

/** Of each task the share of its time with calls that is its code. */
export function codeSharesOf(workflow: Workflow, spans: readonly Span[]): Record<string, number> {
  const sensors = sensorsOf(workflow)
  const shares = workflow.tasks.map(({ name }) => {
    const own = spans.filter(({ task, status }) => task === name && status === 'ok')
    const code = own.reduce((sum, { breakdown }) => sum + breakdown.execution, 0)
    const calls = own.reduce((sum, span) => sum + callMsOf(span, sensors), 0)
    return [name, code + calls > 0 ? code / (code + calls) : 1]
  })
  return Object.fromEntries(shares)
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

const medianOf = (values: readonly number[]): number =>
  quantileOf(
    [...values].sort((a, b) => a - b),
    0.5,
  )

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
  const codeShares: Record<string, number> = {}
  const tasks = Object.entries(known.tasks).map(([task, of]) => {
    const own = runs
      .map((spans) => spans.filter((span) => span.task === task && span.status === 'ok'))
      .filter(({ length }) => length > 0)
    const tier = own[0]?.[0]?.tier === 'cloud' ? 'cloud' : 'edge'
    const { serviceMs, outputsPerInvocation } = of[tier]
    if (own.length === 0) return [task, of]
    const callMs = (span: Span): number =>
      callMsOf(span, sensors) * (sensors.has(task) ? outputsPerInvocation / Math.max(1, span.items) : 1)
    const called = sumOf(serviceMs, typicalOf(own.map((spans) => distribution(spans.map(callMs), STEPS))))
    codeShares[task] = called.mean > 0 ? serviceMs.mean / called.mean : 1
    return [task, { ...of, [tier]: { ...of[tier], serviceMs: called } }]
  })
  return {
    profile: { ...known, tasks: Object.fromEntries(tasks) },
    calls: { gatewayMs: gatewayMsOf(runs.flat(), fleet), codeShares, others: 0 },
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
 * What an item takes between an agent and the gateway of this fleet (`machineFleet`): the median over the invocations that
 * sent any, less the delay there and back, and the air, which on average half of the other agents take first.
 */
export function gatewayMsOf(spans: readonly Span[], fleet: Fleet): number {
  const { uplink } = fleet
  const others = uplink.kind === 'wireless' ? (deviceCount(fleet) - 1) / 2 : 0
  const beside = spans
    .filter(
      ({ tier, status, items, breakdown }) =>
        tier === 'edge' && status === 'ok' && items > 0 && breakdown.network > 0,
    )
    .map(({ breakdown, bytesOut, items }) => {
      const airMs = (bytesOut * 8) / items / (uplink.bandwidthMbps * 1000)
      return Math.max(0, breakdown.network / items - 2 * uplink.delayMs - airMs * (1 + others))
    })
  return beside.length > 0 ? medianOf(beside) : GATEWAY_CALL_MS
}
