/** This machine as a fleet, over a shaped link or the bare loopback, and how fast its sensors go. */
import os from 'node:os'
import type { LinkShape } from '@hivemind/deploy'
import {
  completeProfile,
  type Distribution,
  emitsStream,
  type Fleet,
  type Link,
  localFleet,
  type Placement,
  type Profile,
} from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'

/**
 * What the local target itself takes of each invocation on an agent (the wires of the flow, the way to the task's process
 * and back), and of each item between an agent and the gateway beside the link, in ms. Measured on examples/hello-swarm
 * with two agents on the bare loopback, see docs/validation.md; they serve every workflow, placement and link.
 */
const AGENT_CALL_MS = 1.3
const GATEWAY_CALL_MS = 4

/** The agents of this machine, with the link that is between them and the cloud, and functions already warm. */
export function machineFleet(agents: number, link: LinkShape | undefined): Fleet {
  const fleet = localFleet(agents, os.availableParallelism())
  const { uplink } = fleet
  const from = 'the shaping proxy'
  const shaped: Link | undefined = link && {
    ...uplink,
    name: 'shaped',
    label: 'Loopback behind a shaping proxy',
    kind: link.shared ? 'wireless' : 'wired',
    count: link.shared ? 1 : agents,
    // Packets that are lost take the air once more; that they also wait is not known to the model.
    bandwidthMbps: link.mbps * (1 - link.loss),
    delayMs: link.delayMs + uplink.delayMs,
    sources: [{ what: 'rate, delay and loss', from }, ...uplink.sources],
  }
  return {
    ...fleet,
    uplink: shaped ?? uplink,
    // Runs are measured after one that warms the functions up.
    cloud: { ...fleet.cloud, coldStartMs: 0 },
  }
}

/** What an estimate of a placement on this machine is made from. */
export interface OnThisMachine {
  workflow: Workflow
  fleet: Fleet
  profile: Profile
}

/** A placement's workflow and profile as the local target runs them. */
export function onThisMachine(
  workflow: Workflow,
  placement: Placement,
  profile: Profile,
  agents: number,
  link: LinkShape | undefined,
): OnThisMachine {
  const fleet = machineFleet(agents, link)
  const known = completeProfile(workflow, profile)
  return {
    fleet,
    workflow: atLocalPace(workflow, placement, fleet, known),
    profile: {
      ...known,
      tasks: Object.fromEntries(
        Object.entries(known.tasks).map(([task, { origin, cloud, edge }]) => [
          task,
          { origin, cloud, edge: { ...edge, serviceMs: later(edge.serviceMs, AGENT_CALL_MS) } },
        ]),
      ),
    },
  }
}

/** A distribution moved up by so much. */
function later({ mean, quantiles, samples }: Distribution, ms: number): Distribution {
  return { mean: mean + ms, quantiles: quantiles.map((value) => value + ms), samples }
}

/**
 * The workflow with its streams at the pace they have on the local target. The code of a sensor sets it there, not the
 * rate its `Data` declares; and a sensor goes on when the cloud has its last item, which takes a round trip, or its
 * share of the air where all agents send.
 */
function atLocalPace(
  workflow: Workflow,
  placement: Placement,
  { devices, uplink }: Fleet,
  { tasks }: ReturnType<typeof completeProfile>,
): Workflow {
  const agents = devices.reduce((sum, { count }) => sum + count, 0)
  const rates = new Map<string, number>()
  for (const task of workflow.tasks) {
    const known = tasks[task.name]?.edge
    if (!known || !emitsStream(workflow, task) || task.dataOut === null) continue
    const ownMs = known.serviceMs.mean / Math.max(1, known.outputsPerInvocation) + AGENT_CALL_MS
    const leaves = task.children.length === 0 || task.children.some((child) => placement[child] === 'cloud')
    const airMs = (known.outputBytes.mean * 8) / (uplink.bandwidthMbps * 1000)
    const wayMs = leaves ? airMs + 2 * uplink.delayMs + GATEWAY_CALL_MS : 0
    rates.set(task.dataOut, 1000 / Math.max(ownMs + wayMs, leaves ? (airMs * agents) / uplink.count : 0))
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
