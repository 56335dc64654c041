/** This machine as a fleet, over a shaped link or the bare loopback, and how fast its sensors go. */
import os from 'node:os'
import {
  completeProfile,
  type Distribution,
  emitsStream,
  type Fabric,
  type Fleet,
  type HandOverKind,
  type Link,
  localFleet,
  type Placement,
  type Profile,
  TIERS,
  tierRow,
  withHandOver,
} from '@hivemind/swarm'
import { buildModel, type Conditions, type Model, type ModelTask } from '@hivemind/swarm-sim'
import type { Workflow } from '@hivemind/workflow'
import { type Calls, ITEM_TO_SERVICE_MS } from './calls.ts'
import type { LinkShape } from './link.ts'
import { RETRANSMIT_MS } from './shaping.ts'

/**
 * Default cost of one invocation on an agent in ms: the wires of the flow, and the way to the task's process and back. Used
 * when no run has measured it (see `Calls`). Measured on examples/hello-swarm, see docs/bench/item-path.md.
 */
const AGENT_CALL_MS = 1.3

/** The tiers on this machine, whose edge nodes are functions beside those of the cloud. */
const TIERS_HERE = TIERS.map((row) =>
  row.hardware === 'nodes'
    ? {
        ...row,
        hardware: 'cloud' as const,
        transport: { ...tierRow('cloud').transport, [row.id]: 'handOver' as const },
      }
    : row,
)

/** The agents of this machine, with the link that is between them and the cloud, and functions already warm. */
export function machineFleet(agents: number, link?: LinkShape, calls?: Calls): Fleet {
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
    // Each function is deployed with a warm instance.
    cloud: { ...fleet.cloud, coldStartMs: 0, ...(calls && { dispatchMs: 0 }) },
    ...(fleet.host && calls && { host: { ...fleet.host, others: calls.others } }),
  }
}

/** A placement as the local target runs it, ready to be simulated. */
export interface OnThisMachine {
  model: Model
  conditions: Conditions
}

/**
 * `calls` says that the profile is one of `profileWithCalls` or `withCalls`; without them calls take what they do by
 * default. The placement must be legal.
 */
export function onThisMachine(
  given: {
    workflow: Workflow
    placement: Placement
    profile?: Profile
    itemsPerDevice?: number
    /** The boards of this machine. */
    fabric?: Fabric
    /** As in the deployment; through the store when absent. */
    handOver?: HandOverKind
  },
  agents: number,
  link?: LinkShape,
  calls?: Calls,
): OnThisMachine {
  const { workflow } = given
  const { handOver = 'store' } = given
  const machine = withHandOver(machineFleet(agents, link, calls), handOver)
  const fleet = { ...machine, ...(given.fabric && { fabric: given.fabric }) }
  const known = completeProfile(workflow, given.profile)
  const tasks = Object.entries(known.tasks).map(([task, { origin, cloud, edge }]) => [
    task,
    { origin, cloud, edge: calls ? edge : { ...edge, serviceMs: later(edge.serviceMs, AGENT_CALL_MS) } },
  ])
  const profile: Profile = { ...known, tasks: Object.fromEntries(tasks) }
  const paced = atLocalPace(workflow, profile, calls?.gapMs)
  const model = buildModel({ ...given, workflow: paced, profile, fleet, tiers: TIERS_HERE })
  const timed = model.tasks.map(
    (task): ModelTask => ({
      ...task,
      arrivalMs: ITEM_TO_SERVICE_MS,
      ...calls?.tasks[task.name],
    }),
  )
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
 * The workflow with its streams at the pace they have on the local target: that of runs, or else the rate their `Data` declares, which
 * the runner keeps, or that of the sensor's code where it is slower or no rate is declared. That a sensor goes on only while few of its
 * items are on their way, the simulation knows. An assumed time says less than the rate.
 */
function atLocalPace(workflow: Workflow, { tasks }: Profile, gapMs: Calls['gapMs'] = {}): Workflow {
  const rates = new Map<string, number>()
  const shown = new Map<string, number>()
  for (const task of workflow.tasks) {
    const gap = gapMs[task.name]
    if (gap !== undefined && task.dataOut !== null) shown.set(task.dataOut, 1000 / Math.max(0.01, gap))
    const { origin, edge: known } = tasks[task.name] ?? {}
    if (!known || origin === 'assumed' || !emitsStream(workflow, task) || task.dataOut === null) continue
    const ownMs = known.serviceMs.mean / Math.max(1, known.outputsPerInvocation)
    rates.set(task.dataOut, 1000 / Math.max(0.01, ownMs))
  }
  return {
    ...workflow,
    data: workflow.data.map((data) => {
      const own = rates.get(data.name) ?? shown.get(data.name)
      if (own === undefined) return data
      const declared = data.rate?.value ?? 0
      const value = shown.get(data.name) ?? (declared > 0 ? Math.min(declared, own) : own)
      return { ...data, rate: { value, dimension: 'rate' as const, text: `${value}/s` } }
    }),
  }
}
