/** This machine as a fleet, over a shaped link or the bare loopback, and how fast its sensors go. */
import os from 'node:os'
import { type LinkShape, profileOf, RETRANSMIT_MS } from '@hivemind/deploy'
import type { Span } from '@hivemind/orchestrator'
import {
  completeProfile,
  type Distribution,
  emitsStream,
  type Fleet,
  type Link,
  localFleet,
  type Placement,
  type Profile,
  quantileOf,
  type TierProfile,
} from '@hivemind/swarm'
import { buildModel, type Conditions, type Model } from '@hivemind/swarm-sim'
import type { Workflow } from '@hivemind/workflow'

/**
 * What the local target itself takes of each invocation on an agent (the wires of the flow, the way to the task's process
 * and back), and of each item between an agent and the gateway beside the link, in ms, where runs have not shown it (see
 * `Calls`). Measured on examples/hello-swarm with two agents on the bare loopback, see docs/validation.md.
 */
const AGENT_CALL_MS = 1.3
const GATEWAY_CALL_MS = 4

/** What calls take, when the runs of the profile have shown it: the profile's times then have it in them. */
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
 * What an item takes between an agent and the gateway beside the link: the median over the invocations that sent any, less
 * the delay there and back, and the air, which on average half of the other agents take first.
 */
export function gatewayMsOf(spans: readonly Span[], agents: number, link: LinkShape | undefined): number {
  const { uplink } = machineFleet(agents, link)
  const others = link?.shared ? (agents - 1) / 2 : 0
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

/** The agents of this machine, with the link that is between them and the cloud, and functions already warm. */
export function machineFleet(agents: number, link: LinkShape | undefined, calls?: Calls): Fleet {
  const fleet = localFleet(agents, os.availableParallelism())
  const { uplink } = fleet
  const from = 'the shaping proxy'
  const shaped: Link | undefined = link && {
    ...uplink,
    name: 'shaped',
    label: 'Loopback behind a shaping proxy',
    kind: link.shared ? 'wireless' : 'wired',
    count: link.shared ? 1 : agents,
    bandwidthMbps: link.mbps,
    delayMs: link.delayMs + uplink.delayMs,
    sources: [{ what: 'rate and delay', from }, ...uplink.sources],
  }
  return {
    ...fleet,
    uplink: shaped ?? uplink,
    // Runs are measured after one that warms the functions up.
    cloud: { ...fleet.cloud, coldStartMs: 0, ...(calls && { dispatchMs: 0 }) },
    ...(fleet.host && calls && { host: { ...fleet.host, others: calls.others } }),
  }
}

/** A placement as the local target runs it, ready to be simulated. */
export interface OnThisMachine {
  model: Model
  conditions: Conditions
}

/** `calls` says that the profile is one of `profileWithCalls`. */
export function onThisMachine(
  given: { workflow: Workflow; placement: Placement; profile: Profile; itemsPerDevice?: number },
  agents: number,
  link: LinkShape | undefined,
  calls: Calls | undefined,
): OnThisMachine {
  const { workflow, placement } = given
  const fleet = machineFleet(agents, link, calls)
  const known = completeProfile(workflow, given.profile)
  const tasks = Object.entries(known.tasks).map(([task, { origin, cloud, edge }]) => [
    task,
    { origin, cloud, edge: calls ? edge : { ...edge, serviceMs: later(edge.serviceMs, AGENT_CALL_MS) } },
  ])
  const profile: Profile = { ...known, tasks: Object.fromEntries(tasks) }
  const paced = atLocalPace(workflow, placement, profile, calls?.gatewayMs ?? GATEWAY_CALL_MS)
  const model = buildModel({ ...given, workflow: paced, profile, fleet })
  const timed = model.tasks.map((task) => ({ ...task, computes: calls?.codeShares[task.name] ?? 1 }))
  return {
    model: { ...model, tasks: timed },
    conditions: link && link.loss > 0 ? { loss: link.loss, retransmitMs: RETRANSMIT_MS } : {},
  }
}

/** A distribution moved up by so much. */
function later({ mean, quantiles, samples }: Distribution, ms: number): Distribution {
  return { mean: mean + ms, quantiles: quantiles.map((value) => value + ms), samples }
}

/**
 * The workflow with its streams at the pace they have on the local target. The code of a sensor sets it there, not the
 * rate its `Data` declares; that a sensor goes on only when the cloud has its last item, the simulation knows, but for what
 * the call takes beside the link.
 */
function atLocalPace(
  workflow: Workflow,
  placement: Placement,
  { tasks }: Profile,
  gatewayMs: number,
): Workflow {
  const rates = new Map<string, number>()
  for (const task of workflow.tasks) {
    const known = tasks[task.name]?.edge
    if (!known || !emitsStream(workflow, task) || task.dataOut === null) continue
    const leaves = task.children.length === 0 || task.children.some((child) => placement[child] === 'cloud')
    const ownMs = known.serviceMs.mean / Math.max(1, known.outputsPerInvocation)
    rates.set(task.dataOut, 1000 / Math.max(0.01, ownMs + (leaves ? gatewayMs : 0)))
  }
  return {
    ...workflow,
    data: workflow.data.map((data) => {
      const value = rates.get(data.name)
      return value === undefined
        ? data
        : { ...data, rate: { value, dimension: 'rate' as const, text: `${value}/s` } }
    }),
  }
}
