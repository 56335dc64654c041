/** The links of edge nodes: to the devices that they serve, and to the cloud. */
import type { Faults } from '../faults.ts'
import type { Statistics } from '../figures/statistics.ts'
import type { Timeline } from '../figures/timeline.ts'
import { isBackhaul, isUpwards, type Model, type NodeChannel, nodeLinkOf } from '../model/model.ts'
import type { Hop, TaskWiring } from '../model/wiring.ts'
import { sample } from '../random.ts'
import type { Agenda } from './agenda.ts'
import { HOPPED } from './kinds.ts'
import { LANE, LINK, NETWORK, SEQ, TASK, type Tokens } from './tokens.ts'

interface Given {
  model: Model
  nodes: NonNullable<Model['nodes']>
  tokens: Tokens
  agenda: Agenda
  statistics: Statistics
  faults: Faults
  timeline: Timeline | null
}

export class NodeLinks {
  readonly #given: Given
  /** For each link of each node (to devices up and down, to the cloud up and down), when it is free; a shared one has one time for both. */
  readonly #freeAt: Float64Array

  /** `null` for a fleet without edge nodes. */
  static of(given: Omit<Given, 'nodes'>): NodeLinks | null {
    const { nodes } = given.model
    return nodes ? new NodeLinks({ ...given, nodes }) : null
  }

  private constructor(given: Given) {
    this.#given = given
    this.#freeAt = new Float64Array(4 * given.nodes.count)
  }

  /** Sends an output over one of the links; its arrival is an event. `index` is the number of the hop of its task. */
  send(token: number, { output, outputs }: TaskWiring, { channel, payload }: Hop, index: number): void {
    const { tokens, agenda, faults } = this.#given
    const row = token << 3
    const lane = tokens.ints[row | LANE] as number
    const seq = tokens.ints[row | SEQ] as number
    const bytes = payload ? sample(output, outputs[lane] as number, seq) : 0
    const onAir = faults.touchesAir && !isBackhaul(channel)
    const sent = onAir ? faults.onAir(tokens.ints[row | TASK] as number, lane, seq, bytes) : bytes
    const arrival = this.transmit(lane, sent, channel)
    tokens.ints[row | LINK] = index
    tokens.add(token, NETWORK, arrival - agenda.now)
    agenda.push(HOPPED, arrival, token)
  }

  /** Moves bytes of a device over a link of its node; returns when they arrive, waiting for the link included. */
  transmit(lane: number, bytes: number, channel: NodeChannel): number {
    const { nodes, agenda, statistics, timeline } = this.#given
    const { msPerByte, delayMs, shared } = nodeLinkOf(nodes, channel)
    const isUp = isUpwards(channel)
    const far = isBackhaul(channel)
    const at = 4 * (nodes.nodeOf[lane] as number) + (far ? 2 : 0) + (isUp || shared ? 0 : 1)
    const start = Math.max(this.#freeAt[at] as number, agenda.now)
    const end = start + bytes * msPerByte
    this.#freeAt[at] = end
    if (far) statistics.backhaulBytes += bytes
    else statistics.movedByNode(lane, bytes, isUp)
    if (far) timeline?.carriesFar(start, end, bytes)
    else timeline?.carriesNear(lane, start, end, bytes, isUp)
    return end + delayMs
  }
}
