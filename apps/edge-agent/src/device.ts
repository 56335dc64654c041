/**
 * The heart of an agent: what the four node types of the flow do. Messages carry the value as `payload` and their
 * place as `hivemind`; the flow's wires decide where they go next.
 */
import { afterFailure, type Shape, type Topology, topologyOf } from '@hivemind/orchestrator'
import type { PlanTask } from '@hivemind/synthesis'
import { createTaskRunner, type Invocation, TaskError, type TaskRunner } from '@hivemind/task-runner'
import { decodeValue, encodeValue } from '@hivemind/values'
import type { AgentConfig } from './config.ts'
import { Deliveries } from './deliveries.ts'
import { Exclusion } from './exclusion.ts'
import type { Reporter, SpanRecord, WireKey } from './reporter.ts'
import { OUTSIDE, type Place, type Release, RunOnAgent } from './run.ts'
import { now, sizeOf, toWire } from './values.ts'

/** A message on a wire of the flow. */
export interface FlowMessage {
  /** Name of the data, or of the task it is the input of. */
  topic: string
  payload: unknown
  hivemind: Place & {
    /** The task that emitted it, or nothing when it is the whole input of a task. */
    from?: string
    shape?: Shape
    readyAt: number
    /** ms on the way from the cloud. */
    network: number
    /** Id under which the sender of an item waits for its arrival in the cloud. */
    ticket?: number
  }
}

/** A node of the flow, as far as the agent needs to know it. */
export interface FlowNode {
  send(message: FlowMessage): void
  /** Number of nodes its output is wired to. */
  fanOut: number
}

export interface DeliveryHead {
  epoch: number
  attempt: number
  shape: Shape | undefined
  readyAt: number
  sentAt: number
}

export class Device {
  readonly topology: Topology
  readonly #config: AgentConfig
  readonly #reporter: Reporter
  readonly #runs = new Map<string, RunOnAgent>()
  readonly #deliveries: Deliveries
  readonly #exclusion = new Exclusion()
  readonly #runners = new Map<string, TaskRunner>()
  /** Senders that wait for the arrival of an item, and are told how long it was on its way, in ms. */
  readonly #tickets = new Map<number, PromiseWithResolvers<number>>()
  #lastTicket = 0
  /** What tasks keep, by `RUN TASK DEVICE`. */
  readonly #states = new Map<string, Uint8Array>()
  /** The last invocation of each task: the next one needs the state it leaves. */
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Nodes of the flow by type and task. */
  readonly #nodes = new Map<string, FlowNode>()

  constructor(config: AgentConfig, reporter: Reporter) {
    this.#config = config
    this.#reporter = reporter
    this.topology = topologyOf(config.plan)
    this.#deliveries = new Deliveries((key, epoch) => reporter.entryDone(key, epoch))
    for (const task of config.plan.tasks.filter(({ tier }) => tier === 'edge'))
      this.#runners.set(
        task.name,
        createTaskRunner({
          task: task.name,
          runtime: task.runtime,
          dir: config.bundleDirs[task.name] ?? config.userDir,
          code: task.code,
          args: task.args,
          memoryMB: task.memoryMB,
        }),
      )
  }

  /** Called by a node of the flow when Node-RED makes it. */
  addNode(type: string, task: string, node: FlowNode): void {
    this.#nodes.set(`${type} ${task}`, node)
  }

  hasNode(type: string, task: string): boolean {
    return this.#nodes.has(`${type} ${task}`)
  }

  /** Starts the tasks' processes one after the other, ahead of need. What cannot load fails when it is invoked. */
  async warm(): Promise<void> {
    for (const runner of this.#runners.values()) await runner.warm().catch(() => {})
  }

  startRun(run: string, devices: string[], maxItems: number | undefined): void {
    if (!this.#runs.has(run)) this.#runs.set(run, new RunOnAgent(run, devices, maxItems, this.topology))
  }

  /** Stops whatever still works for the run. */
  endRun(run: string): void {
    this.#deliveries.drop(run)
    this.#runs.get(run)?.ended.abort()
    this.#runs.delete(run)
    for (const key of this.#states.keys()) if (key.startsWith(`${run} `)) this.#states.delete(key)
  }

  /** Takes an invocation from outside. Throws an `Error` when there is no such run, task or node. */
  accept(key: WireKey, head: DeliveryHead, inputs: Record<string, unknown>): void {
    const run = this.#runs.get(key.run)
    const node = this.#nodes.get(`hivemind-in ${key.task}`)
    if (!run) throw new Error(`The run '${key.run}' was not started on ${this.#config.device}.`)
    if (!node) throw new Error(`The flow has no way in for the task '${key.task}'.`)
    const { device, seq } = key
    const delivery = this.#deliveries.begin(key, head.epoch)
    node.send({
      topic: key.task,
      payload: inputs,
      hivemind: {
        run: key.run,
        device,
        seq,
        attempt: head.attempt,
        delivery,
        ...(head.shape && { shape: head.shape }),
        readyAt: head.readyAt,
        network: Math.max(0, now() - head.sentAt),
      },
    })
  }

  /** A message at the join before a task. */
  onJoin(task: string, message: FlowMessage): void {
    const { hivemind: place, payload } = message
    const run = this.#runs.get(place.run)
    if (!run) return
    if (!this.topology.runsOn(task, place.device)) return this.#deliveries.release(place.delivery)
    const from = place.from ?? OUTSIDE
    const release = run.offer(task, place, from, payload, place.shape)
    this.#pass([release, ...run.setInputShape(task, place, release.shape)], place)
    this.#deliveries.release(place.delivery)
  }

  /** A message at a task: an invocation, or an item of its only parent. */
  async onTask(name: string, message: FlowMessage): Promise<void> {
    const { hivemind: place, payload } = message
    const run = this.#runs.get(place.run)
    if (!run) return
    if (!this.topology.runsOn(name, place.device)) return this.#deliveries.release(place.delivery)
    const task = this.topology.task(name)
    const wiresMs = Math.max(0, now() - place.readyAt - place.network)
    const inputs =
      place.from === undefined ? (payload as Record<string, unknown>) : this.#named(task, place.from, payload)
    const names = task.serialWith
      .filter((other) => !this.topology.ordered(name, other))
      .map((other) => `${[name, other].sort().join(' ')} ${place.run} ${place.device} ${place.seq}`)
    const free = await this.#exclusion.take(names)
    try {
      await this.#invoke(task, run, message, inputs, wiresMs)
    } finally {
      free()
      this.#deliveries.release(place.delivery)
    }
  }

  /** A message at the way out: the item goes to the cloud. */
  async onOut(name: string, message: FlowMessage): Promise<void> {
    const { run, device, seq, delivery, ticket = 0 } = message.hivemind
    const sender = this.#tickets.get(ticket)
    this.#tickets.delete(ticket)
    try {
      const wire = toWire(message.topic, message.payload)
      const from = now()
      await this.#reporter.item({ run, task: name, device, seq }, message.topic, wire)
      sender?.resolve(now() - from)
    } catch (error) {
      // The sender fails with it, so the task does.
      sender?.reject(error)
    } finally {
      this.#deliveries.release(delivery)
    }
  }

  /** Ends all work and every process of a task. */
  async stop(): Promise<void> {
    for (const run of [...this.#runs.keys()]) this.endRun(run)
    await Promise.all([...this.#runners.values()].map((runner) => runner.close()))
  }

  /** Sends on what joins have released. */
  #pass(releases: Release[], place: Place & { readyAt?: number }): void {
    for (const { task, ready, shape } of releases) {
      const node = this.#nodes.get(`hivemind-join ${task}`)
      if (!node) continue
      for (const { seq, parts } of ready) {
        this.#deliveries.hold(place.delivery, 1)
        node.send({
          topic: task,
          payload: this.#assemble(this.topology.task(task), parts),
          hivemind: { ...bare(place), seq, ...(shape && { shape }), readyAt: now(), network: 0 },
        })
      }
    }
  }

  #assemble(task: PlanTask, parts: Record<string, unknown>): Record<string, unknown> {
    const inputs: Record<string, unknown> = {}
    for (const [parent, value] of Object.entries(parts))
      Object.assign(inputs, parent === OUTSIDE ? value : this.#named(task, parent, value))
    return inputs
  }

  #named(task: PlanTask, parent: string, value: unknown): Record<string, unknown> {
    const data = this.topology.task(parent).dataOut
    return data !== null && task.dataIn.includes(data) ? { [data]: value } : {}
  }

  async #invoke(
    task: PlanTask,
    run: RunOnAgent,
    message: FlowMessage,
    inputs: Record<string, unknown>,
    /** ms on the wires of the flow. */
    wiresMs: number,
  ): Promise<void> {
    const place = message.hivemind
    const key: WireKey = { run: run.run, task: task.name, device: place.device, seq: place.seq }
    this.#pass(run.setInputShape(task.name, place, place.shape), place)
    const emitted = { items: 0 }
    const bytesIn = sizeOf(inputs)
    for (let attempt = 1; !run.ended.signal.aborted; attempt += 1) {
      const span = this.#newSpan(key, place, attempt, bytesIn)
      try {
        await this.#try(task, run, place, inputs, span, emitted)
        span.dataExchange += wiresMs
        span.management = Math.max(0, span.management - wiresMs)
        this.#reporter.done(span)
        this.#pass(run.invocationDone(task.name, place, span.items), place)
        return
      } catch (error) {
        if (run.ended.signal.aborted) return
        const failure = error instanceof TaskError ? error : new TaskError('crash', (error as Error).message)
        Object.assign(span, { ok: false, error: failure.message, endedAt: now() })
        this.#reporter.tryFailed(span)
        const again = task.restore !== 'repartition' && afterFailure(task, failure.kind, attempt) === 'retry'
        if (!again) {
          this.#reporter.failed(key, failure.kind, failure.message, failure.detail)
          return
        }
        const text = `Item ${key.seq} failed (${failure.message}); try ${attempt + 1} follows.`
        this.#reporter.log('warn', task.name, key.device, text)
      }
    }
  }

  async #try(
    task: PlanTask,
    run: RunOnAgent,
    place: FlowMessage['hivemind'],
    inputs: Record<string, unknown>,
    span: SpanRecord,
    emitted: { items: number },
  ): Promise<void> {
    const runner = this.#runners.get(task.name)
    if (!runner) throw new TaskError('load', `The agent has no code for the task '${task.name}'.`)
    const { device, seq } = place
    const stateKey = `${run.run} ${task.name} ${device}`
    const before = this.#turns.get(task.name)
    const turn = Promise.withResolvers<void>()
    this.#turns.set(task.name, turn.promise)
    await before
    const invocation: Invocation = {
      inputs: Object.fromEntries(
        Object.entries(inputs).map(([name, value]) => [name, { kind: 'one', value: encodeValue(value) }]),
      ),
      state: this.#states.get(stateKey) ?? null,
      context: {
        run: run.run,
        task: task.name,
        device,
        deviceIndex: run.devices.indexOf(device),
        devices: run.devices,
        seq,
        ...(run.maxItems !== undefined && { maxItems: run.maxItems }),
      },
      timeoutMs: task.timeoutMs,
      signal: run.ended.signal,
      onLog: (level, text) => this.#reporter.log(level, task.name, device, text),
      onItem: async ({ value }, index) => {
        if (index > 0 && seq > 0)
          throw new Error('a task that reads a stream may emit at most one item for each; return a list')
        // An earlier try has handed on this item.
        if (index < emitted.items) return
        emitted.items = index + 1
        await this.#emit(task, { ...place, seq: seq + index }, decodeValue(value), span)
      },
    }
    const result = await runner.invoke(invocation).finally(turn.resolve)
    if (result.state && !run.ended.signal.aborted) this.#states.set(stateKey, result.state)
    const endedAt = now()
    const spent = span.network - place.network + span.dataExchange
    span.startedAt = Math.max(span.queuedAt, endedAt - result.executionMs - spent)
    span.endedAt = endedAt
    span.execution = result.executionMs
    span.items = result.items
    span.management = Math.max(0, span.startedAt - span.queuedAt - place.network - result.callMs)
    span.dataExchange += result.callMs
  }

  /** An item goes on its way over the wires of the flow; resolves when it has arrived in the cloud, if it goes there. */
  async #emit(
    task: PlanTask,
    place: FlowMessage['hivemind'],
    value: unknown,
    span: SpanRecord,
  ): Promise<void> {
    span.bytesOut += sizeOf(value)
    const node = this.#nodes.get(`hivemind-task ${task.name}`)
    if (!node || node.fanOut === 0) return
    const from = now()
    let ticket: number | undefined
    let arrival: Promise<number> | undefined
    if (this.#nodes.has(`hivemind-out ${task.name}`)) {
      this.#lastTicket += 1
      ticket = this.#lastTicket
      const waiting = Promise.withResolvers<number>()
      arrival = waiting.promise
      this.#tickets.set(ticket, waiting)
    }
    this.#deliveries.hold(place.delivery, node.fanOut)
    node.send({
      topic: task.dataOut ?? task.name,
      payload: value,
      hivemind: {
        ...bare(place),
        from: task.name,
        readyAt: from,
        network: 0,
        ...(ticket !== undefined && { ticket }),
      },
    })
    const network = arrival ? await arrival : 0
    span.network += network
    span.dataExchange += now() - from - network
  }

  #newSpan(key: WireKey, place: FlowMessage['hivemind'], attempt: number, bytesIn: number): SpanRecord {
    return {
      key,
      worker: this.#config.device,
      queuedAt: place.readyAt,
      startedAt: now(),
      endedAt: now(),
      network: place.network,
      management: 0,
      dataExchange: 0,
      execution: 0,
      bytesIn,
      bytesOut: 0,
      items: 0,
      ok: true,
      error: '',
      attempt: place.attempt + attempt - 1,
    }
  }
}

/** The place alone, for a message of another kind. */
function bare({ run, device, seq, attempt, delivery }: Place): Place {
  return { run, device, seq, attempt, delivery }
}
