/**
 * Event-driven simulation of one run of a model (paper section 5.6: a simulator on queueing network principles that
 * tracks processing and queueing time on cloud and edge resources).
 */
import type { Estimate } from '@hivemind/swarm'
import { EventQueue } from './events.ts'
import { type Chain, type Message, type Ready, TaskInputs } from './joins.ts'
import { laneCount, type Model, type ModelTask, originTasks } from './model.ts'
import { type Sampler, sample, samplerOf, streamOf, uniform } from './random.ts'
import { estimateOf, type Outcome, Samples, Sums, totalItems } from './samples.ts'
import { SerialPairs } from './serial.ts'
import { ContainerPool, Station } from './stations.ts'

/** What a random number is drawn for; part of the name of its stream. */
const SERVICE = 0
const OUTPUT = 1
const GAP = 2
const PHASE = 3

/** One invocation, from the moment its inputs are there. */
interface Job extends Chain {
  task: number
  lane: number
  seq: number
  producedAt: number
  /** Of this invocation alone. */
  ownNetwork: number
  ownManagement: number
  ownExchange: number
  /** When it asked for a core or container. */
  askedAt: number
  service: number
  /** A cloud function that had to be started. */
  coldMs: number
}

type Handler = () => void

const NOTHING: Message = {
  origins: [],
  network: 0,
  management: 0,
  dataExchange: 0,
  execution: 0,
  producedAt: 0,
  hop: 'uplink',
}

class Run {
  readonly #model: Model
  readonly #seed: number
  readonly #events = new EventQueue<Handler>()
  readonly #inputs: TaskInputs[]
  readonly #children: number[][]
  readonly #service: Sampler[]
  readonly #output: Sampler[]
  readonly #cores: Station[]
  /** One for each access point and direction; the same one twice where both share the air. */
  readonly #up: Station[]
  readonly #down: Station[]
  readonly #pool: ContainerPool
  #queue: Job[] = []
  #queueHead = 0
  /** First number of a sensor's items, by task. */
  readonly #firstOrigin = new Map<number, number>()
  readonly #bornAt: Float64Array
  /** End of the last task each item of sensor data went through, and where the time went, four figures each. */
  readonly #endAt: Float64Array
  readonly #partsOf: Float64Array
  readonly #barriers = new Map<number, { left: number; last: Message; lastAt: number; open: boolean }>()
  readonly #serial = new SerialPairs<Job>()
  readonly #outcome: Outcome

  constructor(model: Model, seed: number) {
    this.#model = model
    this.#seed = seed
    const devices = model.classOf.length
    this.#inputs = model.tasks.map((task) => new TaskInputs(model, task))
    this.#children = model.tasks.map((_, index) =>
      model.tasks.flatMap((task, at) => (task.parents.some((parent) => parent.task === index) ? [at] : [])),
    )
    this.#service = model.tasks.map((task) =>
      samplerOf(task.service, task.tier === 'cloud' ? 1 / model.cloud.cpuSpeed : 1),
    )
    this.#output = model.tasks.map((task) => samplerOf(task.outputBytes))
    this.#cores = model.classOf.map((each) => new Station(model.classes[each]?.cores ?? 1))
    const points = () => Array.from({ length: model.link.accessPoints }, () => new Station(1))
    this.#up = points()
    this.#down = model.link.shared ? this.#up : points()
    this.#pool = new ContainerPool(model.cloud, model.tasks.length)
    const origins = originTasks(model)
    let items = 0
    for (const index of origins) {
      this.#firstOrigin.set(index, items)
      items += totalItems(model, [index])
    }
    this.#bornAt = new Float64Array(items)
    this.#endAt = new Float64Array(items).fill(-1)
    this.#partsOf = new Float64Array(4 * items)
    for (const [index, task] of model.tasks.entries())
      if (task.barrier) this.#barriers.set(index, barrier(model, task))
    this.#outcome = {
      latencies: new Samples(),
      latencySums: new Sums(),
      tasks: model.tasks.map(() => ({ times: new Samples(), sums: new Sums() })),
      endMs: 0,
      busyMs: new Float64Array(devices),
      sentBytes: new Float64Array(devices),
      receivedBytes: new Float64Array(devices),
      cloudMs: 0,
    }
  }

  run(): Outcome {
    for (const [index, task] of this.#model.tasks.entries())
      if (task.parents.length === 0) for (const lane of task.lanes) this.#startRoot(index, task, lane)
    do for (let next = this.#events.pop(); next; next = this.#events.pop()) next()
    while (this.#openStuckBarrier())
    return this.#collect()
  }

  #startRoot(index: number, task: ModelTask, lane: number): void {
    const first = task.gap ? undefined : this.#firstOrigin.get(index)
    const message =
      first === undefined ? NOTHING : { ...NOTHING, origins: [first + task.lanes.indexOf(lane)] }
    const start = (network: number) =>
      this.#ready(index, lane, 0, {
        message: { ...message, network },
        origins: message.origins,
        arrivedAt: this.#events.now,
      })
    if (task.tier === 'edge' && task.inputBytes > 0) this.#transfer('down', lane, task.inputBytes, start)
    else this.#events.push(0, () => start(0))
  }

  /** All inputs of an invocation are there; `ready.message` holds the chain so far, the last hop included. */
  #ready(index: number, lane: number, seq: number, ready: Ready): void {
    const task = this.#model.tasks[index] as ModelTask
    const { message } = ready
    const now = this.#events.now
    const waited = now - ready.arrivedAt
    const hop = ready.arrivedAt - message.producedAt
    const handedOver = message.hop === 'handOver'
    const job: Job = {
      task: index,
      lane,
      seq,
      origins: ready.origins,
      network: message.network,
      management: message.management + waited,
      dataExchange: message.dataExchange,
      execution: message.execution,
      producedAt: message.producedAt,
      ownNetwork: handedOver ? 0 : hop,
      ownManagement: waited,
      ownExchange: handedOver ? hop : 0,
      askedAt: now,
      service: 0,
      coldMs: 0,
    }
    if (task.gap) this.#sense(job, task)
    else if (task.serialWith.length === 0 || this.#serial.enter(job, task.serialWith)) this.#start(job, task)
  }

  #sense(job: Job, task: ModelTask): void {
    const gap = samplerOf(task.gap ?? task.service)
    const stream = streamOf(this.#seed, GAP, job.task, job.lane)
    const phase = uniform(streamOf(this.#seed, PHASE, job.task, job.lane), 0)
    const total = Math.floor(task.outputs)
    const first =
      (this.#firstOrigin.get(job.task) ?? 0) +
      Math.max(0, task.lanes.indexOf(job.lane)) * total * task.invocations +
      job.seq * total
    const startedAt = this.#events.now
    const emit = (item: number) => {
      const now = this.#events.now
      this.#bornAt[first + item] = now
      const message: Message = { ...NOTHING, origins: [first + item], producedAt: now }
      this.#deliver(job.task, job.lane, job.seq * total + item, message)
      if (item + 1 < total) this.#events.push(now + sample(gap, stream, item + 1), () => emit(item + 1))
      else {
        // how fast the world goes is no part of an item's latency: the time counts, the breakdown stays empty
        this.#outcome.tasks[job.task]?.times.push(now - startedAt)
        this.#end(now)
      }
    }
    const mean = sample(gap, stream, 0)
    this.#events.push(startedAt + phase * mean, () => emit(0))
  }

  #releaseSerial(job: Job, task: ModelTask): void {
    for (const waiting of this.#serial.leave(job, task.serialWith)) {
      const waitingTask = this.#model.tasks[waiting.task] as ModelTask
      if (!this.#serial.enter(waiting, waitingTask.serialWith)) continue
      const waited = this.#events.now - waiting.askedAt
      waiting.management += waited
      waiting.ownManagement += waited
      this.#start(waiting, waitingTask)
    }
  }

  #start(job: Job, task: ModelTask): void {
    const now = this.#events.now
    const drawn = sample(
      this.#service[job.task] as Sampler,
      streamOf(this.#seed, SERVICE, job.task, job.lane),
      job.seq,
    )
    if (task.tier === 'cloud') {
      job.service = drawn
      job.askedAt = now
      this.#events.push(now + this.#model.cloud.dispatchMs, () => {
        this.#queue.push(job)
        this.#drain()
      })
      return
    }
    const kind = this.#model.classes[this.#model.classOf[job.lane] as number]
    job.service = drawn / (kind?.cpuSpeed ?? 1)
    const start = (this.#cores[job.lane] as Station).serve(now, job.service)
    job.management += start - now
    job.ownManagement += start - now
    this.#events.push(start + job.service, () => this.#done(job, task))
  }

  /** Starts queued cloud functions while there is room. */
  #drain(): void {
    const now = this.#events.now
    while (this.#queueHead < this.#queue.length && this.#pool.hasRoom) {
      const job = this.#queue[this.#queueHead++] as Job
      job.coldMs = this.#pool.acquire(job.task, now) ? this.#model.cloud.coldStartMs : 0
      const waited = now - job.askedAt + job.coldMs
      job.management += waited
      job.ownManagement += waited
      const held = job.coldMs + job.service
      this.#events.push(now + held, () => {
        this.#pool.release(job.task, this.#events.now, held)
        this.#done(job, this.#model.tasks[job.task] as ModelTask)
        this.#drain()
      })
    }
    if (this.#queueHead > 1024 && this.#queueHead * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#queueHead)
      this.#queueHead = 0
    }
  }

  #done(job: Job, task: ModelTask): void {
    const now = this.#events.now
    job.execution += job.service
    const stats = this.#outcome.tasks[job.task]
    stats?.times.push(now - job.producedAt)
    stats?.sums.add(job.ownNetwork, job.ownManagement, job.ownExchange, job.service)
    this.#end(now)
    if (!task.swarmWide) this.#settle(job, now)
    if (task.serialWith.length > 0) this.#releaseSerial(job, task)
    const from = Math.floor(job.seq * task.outputs + 1e-9)
    const to = Math.floor((job.seq + 1) * task.outputs + 1e-9)
    for (let item = from; item < to; item++)
      this.#deliver(job.task, job.lane, item, {
        origins: job.origins,
        network: job.network,
        management: job.management,
        dataExchange: job.dataExchange,
        execution: job.execution,
        producedAt: now,
        hop: 'uplink',
      })
  }

  /** Sends one item of output to every child, once over the uplink for each side of it. */
  #deliver(index: number, lane: number, seq: number, message: Message): void {
    const task = this.#model.tasks[index] as ModelTask
    const bytes = sample(this.#output[index] as Sampler, streamOf(this.#seed, OUTPUT, index, lane), seq)
    let across = task.returnsResult
    let payload = task.returnsResult
    const { handOver } = this.#model.cloud
    for (const at of this.#children[index] as number[]) {
      const child = this.#model.tasks[at] as ModelTask
      const parent = child.parents.find((each) => each.task === index)
      if (parent?.channel === 'wire') this.#arrive(at, index, lane, seq, message)
      else if (parent?.channel === 'handOver') {
        const took = handOver.fixedMs + (parent.data ? bytes * handOver.msPerByte : 0)
        const arriving: Message = { ...message, dataExchange: message.dataExchange + took, hop: 'handOver' }
        this.#events.push(this.#events.now + took, () => this.#arrive(at, index, lane, seq, arriving))
      } else if (parent) {
        across = true
        payload ||= parent.data
      }
    }
    if (!across) return
    this.#transfer(task.tier === 'edge' ? 'up' : 'down', lane, payload ? bytes : 0, (took) => {
      const arriving = { ...message, network: message.network + took }
      if (task.returnsResult) {
        this.#settleUnprocessed(arriving)
        this.#end(this.#events.now)
      }
      for (const at of this.#children[index] as number[]) {
        const channel = this.#model.tasks[at]?.parents.find((each) => each.task === index)?.channel
        if (channel === 'up' || channel === 'down') this.#arrive(at, index, lane, seq, arriving)
      }
    })
  }

  #arrive(index: number, from: number, lane: number, seq: number, message: Message): void {
    const task = this.#model.tasks[index] as ModelTask
    if (task.barrier) this.#arriveAtBarrier(index, message)
    else if (task.swarmWide || task.lanes.length === this.#model.classOf.length || task.lanes.includes(lane))
      this.#inputs[index]?.offer(from, lane, seq, message, this.#events.now, (at, ready) =>
        this.#ready(index, lane, at, ready),
      )
  }

  #arriveAtBarrier(index: number, message: Message): void {
    this.#settleUnprocessed(message)
    const state = this.#barriers.get(index)
    if (!state || state.open) return
    state.left--
    state.last = message
    state.lastAt = this.#events.now
    if (state.left <= 0) this.#openBarrier(index, state)
  }

  #openBarrier(index: number, state: { last: Message; lastAt: number; open: boolean }): void {
    state.open = true
    this.#ready(index, 0, 0, {
      message: state.last,
      origins: [],
      arrivedAt: state.lastAt || this.#events.now,
    })
  }

  /** When nothing more happens, a barrier whose condition can no longer hold opens with what has arrived. */
  #openStuckBarrier(): boolean {
    for (const [index, state] of this.#barriers)
      if (!state.open) {
        this.#openBarrier(index, state)
        return true
      }
    return false
  }

  /** Moves bytes over the access point of a device; `then` gets the time it took, queueing included. */
  #transfer(direction: 'up' | 'down', lane: number, bytes: number, then: (took: number) => void): void {
    const { link } = this.#model
    const now = this.#events.now
    const points = direction === 'up' ? this.#up : this.#down
    const service = bytes * link.msPerByte
    const start = (points[lane % link.accessPoints] as Station).serve(now, service)
    const counter = direction === 'up' ? this.#outcome.sentBytes : this.#outcome.receivedBytes
    counter[lane] = (counter[lane] as number) + bytes
    const arrival = start + service + link.delayMs
    this.#events.push(arrival, () => then(arrival - now))
  }

  #settle(chain: Chain, now: number): void {
    for (const origin of chain.origins) {
      this.#endAt[origin] = now
      this.#partsOf[4 * origin] = chain.network
      this.#partsOf[4 * origin + 1] = chain.management
      this.#partsOf[4 * origin + 2] = chain.dataExchange
      this.#partsOf[4 * origin + 3] = chain.execution
    }
  }

  /** Data that no task on the devices or for each item processes counts when it is delivered. */
  #settleUnprocessed(chain: Chain): void {
    for (const origin of chain.origins)
      if ((this.#endAt[origin] as number) < 0) this.#settle({ ...chain, origins: [origin] }, this.#events.now)
  }

  #end(now: number): void {
    if (now > this.#outcome.endMs) this.#outcome.endMs = now
  }

  #collect(): Outcome {
    const outcome = this.#outcome
    for (let item = 0; item < this.#endAt.length; item++) {
      const end = this.#endAt[item] as number
      if (end < 0) continue
      outcome.latencies.push(end - (this.#bornAt[item] as number))
      const part = (index: number) => this.#partsOf[4 * item + index] as number
      outcome.latencySums.add(part(0), part(1), part(2), part(3))
    }
    for (const [device, station] of this.#cores.entries()) outcome.busyMs[device] = station.busy
    outcome.cloudMs = this.#pool.coreTime(outcome.endMs)
    return outcome
  }
}

function barrier(model: Model, task: ModelTask) {
  const expected = task.parents.reduce((sum, parent) => {
    const of = model.tasks[parent.task] as ModelTask
    return sum + laneCount(of) * Math.floor(of.invocations * of.outputs + 1e-9)
  }, 0)
  const condition = task.barrier ?? { kind: 'all' }
  const left = condition.kind === 'all' ? expected : condition.kind === 'any' ? 1 : condition.count
  return { left, last: NOTHING, lastAt: 0, open: false }
}

/**
 * Simulates one run, every item of it. The same model and seed give the same bytes on every platform.
 * Quantiles are of the full samples. Failures, stragglers and retraining (paper sections 4.6, 5.4) are not simulated.
 */
export function simulate(model: Model, options: { seed: number }): Estimate {
  return estimateOf(model, new Run(model, options.seed).run())
}
