/** Outputs on their way: to tasks on the same device, between functions of the cloud, and over the uplink and the links of edge nodes. */
import type { Hop, Link, TaskWiring } from '../model/wiring.ts'
import { sample } from '../random.ts'
import type { Agenda } from './agenda.ts'
import { Barriers } from './barriers.ts'
import { type Context, settleUnprocessed } from './context.ts'
import type { Gate } from './gate.ts'
import { TaskInputs } from './joins.ts'
import { CROSSED, HANDED_OVER, UNBLOCKED } from './kinds.ts'
import { ASKED_AT, DATA_EXCHANGE, LANE, LINK, NETWORK, NO_LINK, SEQ, TASK, type Tokens } from './tokens.ts'
import type { Uplink } from './uplink.ts'

/** Notified of an invocation whose inputs are there, the last one since its token's `ASKED_AT`. */
interface Reader {
  readonly gate: Gate | null
  ready(token: number): void
}

export class Outputs {
  readonly barriers: Barriers
  private readonly context: Context
  private readonly tokens: Tokens
  private readonly agenda: Agenda
  private readonly uplink: Uplink
  private readonly wiring: readonly TaskWiring[]
  private readonly inputs: (TaskInputs | undefined)[]
  /** Whether devices can go down, or wait for arrivals, or computers share a host, or the air loses packets. */
  private isSpecial = false
  private readonly reader: Reader
  /** When the store that functions share is free. */
  private storeFreeAt = 0
  /** Invocations of each filter that have ended, by lane. */
  private readonly filtered: (Int32Array | undefined)[]

  constructor(context: Context, reader: Reader) {
    const { model, tokens, origins } = context
    this.context = context
    this.tokens = tokens
    this.agenda = context.agenda
    this.uplink = context.uplink
    this.wiring = context.wiring
    this.reader = reader
    this.barriers = new Barriers(context.wiring, tokens)
    const lanes = Math.max(1, model.classOf.length)
    this.filtered = context.wiring.map(({ filters }) => (filters ? new Int32Array(lanes) : undefined))
    this.inputs = model.tasks.map((task, index) =>
      task.parents.length > 1 && !task.barrier
        ? new TaskInputs(model, index, context.wiring[index] as TaskWiring, tokens, origins, reader)
        : undefined,
    )
  }

  /** To be called once the context is complete. */
  prepare(): void {
    const { devices, acknowledgements, host, faults } = this.context
    this.isSpecial = devices !== null || acknowledgements !== null || host !== null || faults.touchesAir
  }

  /** Tokens that wait for other inputs. */
  waiting(): number[] {
    return this.inputs.flatMap((inputs) => inputs?.waiting() ?? [])
  }

  /** Sends the item of an invocation, under the number of what it was computed from, or none. Takes the token. */
  filter(token: number, wiring: TaskWiring): void {
    const { tokens } = this
    const index = tokens.task(token)
    const lane = tokens.lane(token)
    const ended = this.filtered[index] as Int32Array
    const before = ended[lane] as number
    ended[lane] = before + 1
    if (countAt(before + 1, wiring) > countAt(before, wiring)) {
      this.deliver(token, wiring)
      return
    }
    this.skipBelow(index, lane, tokens.seq(token))
    tokens.release(token)
  }

  /** An invocation emits nothing: what would be computed from its items never comes. */
  skipBelow(index: number, lane: number, seq: number): void {
    const wiring = this.wiring[index] as TaskWiring
    const { wire, handOver, across, hops, scattersTo } = wiring
    const isNumbered = wiring.emitsOne || wiring.filters
    const from = isNumbered ? seq : countAt(seq, wiring)
    const to = isNumbered ? seq + 1 : countAt(seq + 1, wiring)
    for (let item = from; item < to; item++) {
      for (const link of [...wire, ...handOver]) this.skip(link, lane, item)
      for (const link of across) for (const own of scattersTo ?? [lane]) this.skip(link, own, item)
      for (const hop of hops)
        for (const link of hop.links) for (const own of hop.scattersTo ?? [lane]) this.skip(link, own, item)
    }
  }

  private skip({ child, at }: Link, lane: number, item: number): void {
    const { isBarrier, numbers, runsOn, single } = this.wiring[child] as TaskWiring
    if (isBarrier) return this.comesNoMore(child)
    if (runsOn !== null && runsOn[lane] === 0) return
    const own = item < numbers ? [item] : []
    for (const seq of single ? own : (this.inputs[child] as TaskInputs).skip(at, lane, item))
      this.isOver(child, lane, seq)
  }

  /** Something that a barrier waits for will never come, or was the end of a stream. */
  comesNoMore(barrier: number): void {
    const opened = this.barriers.skip(barrier, this.agenda.now)
    if (opened >= 0) this.reader.ready(opened)
  }

  /** A task will not be called for an item. */
  private isOver(index: number, lane: number, seq: number): void {
    this.reader.gate?.skip(index, lane, seq)
    this.skipBelow(index, lane, seq)
  }

  /** Sends the items of output of an invocation that has not just one. Takes the token. */
  deliverAll(token: number, wiring: TaskWiring): void {
    const { tokens } = this.context
    const seq = tokens.seq(token)
    const from = countAt(seq, wiring)
    const to = countAt(seq + 1, wiring)
    for (let item = from; item < to; item++) {
      const output = item + 1 < to ? tokens.copy(token) : token
      tokens.ints[(output << 3) | SEQ] = item
      this.deliver(output, wiring)
    }
    if (from >= to) tokens.release(token)
  }

  /** Sends one item of output to every child, once over the uplink for all on its other side. Takes the token. */
  deliver(token: number, wiring: TaskWiring): void {
    const { wire, handOver, crosses } = wiring
    const { length } = wire
    if (this.isSpecial && this.context.host !== null) this.context.host.emitted(wiring.task)
    if (length === 1 && !crosses && handOver.length === 0) {
      this.arriveAt(wire[0] as Link, token)
      return
    }
    const isOver = handOver.length > 0 && length === 0 && !crosses
    if (handOver.length > 0) this.handOver(token, wiring, isOver)
    const copies = crosses ? length : length - 1
    for (let i = 0; i < length; i++)
      this.arriveAt(wire[i] as Link, i < copies ? this.tokens.copy(token) : token)
    if (crosses) {
      if (wiring.hops.length > 0 && !this.hop(token, wiring)) return
      if (wiring.scattersTo === null) this.cross(token, wiring)
      else this.scatter(token, wiring, wiring.scattersTo)
    } else if (length === 0 && !isOver) this.tokens.release(token)
  }

  /** Hands an output over to functions in the cloud; the token itself to the last of them when they are all. */
  private handOver(token: number, { handOver: links, output, outputs }: TaskWiring, areAll: boolean): void {
    const { tokens, agenda, model } = this.context
    const { fixedMs, msPerByte, isShared } = model.cloud.handOver
    const bytes = sample(output, outputs[tokens.lane(token)] as number, tokens.seq(token))
    for (let next = 0; next < links.length; next++) {
      const transferMs = (links[next] as Link).data ? bytes * msPerByte : 0
      const took = fixedMs + (isShared ? this.throughStore(transferMs) : transferMs)
      const own = areAll && next + 1 === links.length ? token : tokens.copy(token)
      tokens.add(own, DATA_EXCHANGE, took)
      tokens.ints[(own << 3) | LINK] = next
      agenda.push(HANDED_OVER, agenda.now + took, own)
    }
  }

  /** Time until a transfer through the one store of all functions has ended, in ms: it waits for those before it. */
  private throughStore(transferMs: number): number {
    const { now } = this.agenda
    const start = this.storeFreeAt > now ? this.storeFreeAt : now
    this.storeFreeAt = start + transferMs
    return this.storeFreeAt - now
  }

  /** An output has been handed over between functions. */
  handedOver(token: number): void {
    const { ints } = this.context.tokens
    const row = token << 3
    const { handOver } = this.wiring[ints[row | TASK] as number] as TaskWiring
    this.arriveAt(handOver[ints[row | LINK] as number] as Link, token)
  }

  /** Sends a result of the swarm to each device that reads it. */
  private scatter(token: number, wiring: TaskWiring, lanes: Int32Array): void {
    const { tokens } = this.context
    for (const lane of lanes) {
      const own = tokens.copy(token)
      tokens.ints[(own << 3) | LANE] = lane
      this.cross(own, wiring)
    }
    tokens.release(token)
  }

  /** Sends an output over the links of edge nodes. Whether the token itself is left for the uplink. */
  private hop(token: number, wiring: TaskWiring): boolean {
    const { tokens } = this
    for (const [index, hop] of wiring.hops.entries())
      for (const lane of hop.scattersTo ?? [tokens.lane(token)]) {
        const own = tokens.copy(token)
        tokens.ints[(own << 3) | LANE] = lane
        this.context.nodeLinks?.send(own, wiring, hop, index)
      }
    if (wiring.crossesUplink) return true
    tokens.release(token)
    return false
  }

  /** An output is at the other end of a link of an edge node. */
  hopped(token: number): void {
    const { context, tokens } = this
    const { ints } = tokens
    const row = token << 3
    const { hops } = this.wiring[ints[row | TASK] as number] as TaskWiring
    const { links, returns } = hops[ints[row | LINK] as number] as Hop
    ints[row | LINK] = NO_LINK
    if (returns) {
      settleUnprocessed(context, token)
      context.statistics.end(this.agenda.now)
    }
    for (const link of links) this.arriveAt(link, tokens.copy(token))
    tokens.release(token)
  }

  /** Sends an output over the uplink. Takes the token. */
  cross(token: number, wiring: TaskWiring): void {
    if (this.isSpecial) {
      this.crossSpecially(token, wiring)
      return
    }
    const { tokens } = this
    const row = token << 3
    const lane = tokens.ints[row | LANE] as number
    const bytes = wiring.payload
      ? sample(wiring.output, wiring.outputs[lane] as number, tokens.ints[row | SEQ] as number)
      : 0
    this.uplink.send(token, lane, bytes, wiring.onDevice)
  }

  /** The same where a device may be down, or packets may be lost. */
  private crossSpecially(token: number, { onDevice, payload, output, outputs }: TaskWiring): void {
    const { tokens, uplink, agenda } = this
    const { devices, faults } = this.context
    const { now } = agenda
    const row = token << 3
    const index = tokens.ints[row | TASK] as number
    const lane = tokens.ints[row | LANE] as number
    const seq = tokens.ints[row | SEQ] as number
    const isUp = onDevice
    const device = devices === null ? lane : devices.deviceFor(token, true)
    if (device < 0) return
    const unblockedAt = uplink.blockedUntil(lane, isUp)
    if (unblockedAt > now) {
      tokens.add(token, NETWORK, unblockedAt - now)
      agenda.push(UNBLOCKED, unblockedAt, token)
      return
    }
    const bytes = payload ? sample(output, outputs[lane] as number, seq) : 0
    const sent = faults.touchesAir ? faults.onAir(index, lane, seq, bytes) : bytes
    const arrival = uplink.transmit(device, bytes, sent, isUp, token)
    const delayed = arrival + uplink.timeouts(index, lane, seq, bytes, isUp)
    tokens.add(token, NETWORK, delayed - now)
    agenda.push(CROSSED, delayed, token)
  }

  /** An output that had to wait may be sent (again) now. */
  resend(token: number): void {
    this.cross(token, this.wiring[this.tokens.task(token)] as TaskWiring)
  }

  /** An output is on the other side of the uplink. */
  crossed(token: number): void {
    const { context, tokens } = this
    if (this.isSpecial) {
      if (context.devices !== null && !context.devices.leaves(token)) return
      if (context.acknowledgements !== null) context.acknowledgements.arrived(token)
    }
    const { returnsResult, across } = this.wiring[tokens.ints[(token << 3) | TASK] as number] as TaskWiring
    if (returnsResult) {
      settleUnprocessed(context, token)
      context.statistics.end(this.agenda.now)
    }
    const last = across.length - 1
    for (let i = 0; i <= last; i++) this.arriveAt(across[i] as Link, i < last ? tokens.copy(token) : token)
    if (last < 0) tokens.release(token)
  }

  /** An output is where a child of its producer runs. Takes the token. */
  private arriveAt({ child, at }: Link, token: number): void {
    const { tokens, agenda } = this
    const { isBarrier, numbers, runsOn, single } = this.wiring[child] as TaskWiring
    const { ints } = tokens
    const row = token << 3
    tokens.times[row | ASKED_AT] = agenda.now
    if (isBarrier) this.arriveAtBarrier(child, token)
    else if (runsOn !== null && runsOn[ints[row | LANE] as number] === 0) tokens.release(token)
    else if (!single) {
      const inputs = this.inputs[child] as TaskInputs
      const lane = ints[row | LANE] as number
      const seq = ints[row | SEQ] as number
      if (inputs.offer(at, lane, seq, token)) this.isOver(child, lane, seq)
    } else if ((ints[row | SEQ] as number) >= numbers) tokens.release(token)
    else {
      ints[row | TASK] = child
      this.reader.ready(token)
    }
  }

  private arriveAtBarrier(index: number, token: number): void {
    const { agenda } = this.context
    settleUnprocessed(this.context, token)
    const opened = this.barriers.arrive(index, token, agenda.now)
    if (opened >= 0) this.reader.ready(opened)
  }
}

/** Items that so many invocations of a task emit. */
const countAt = (invocations: number, { task }: Pick<TaskWiring, 'task'>): number =>
  Math.floor(invocations * task.outputs + 1e-9)
