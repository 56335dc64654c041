/** The engine: follows a plan from the roots to the sinks, exactly as docs/task-code.md says. */
import type { Plan, PlanTask } from '@hivemind/synthesis'
import { CloudScheduler } from './cloud.ts'
import type { Core } from './core.ts'
import { EdgeScheduler } from './edge.ts'
import { gateOf } from './gate.ts'
import { describeKey, type Invocation, type Lane, newInvocation, newLane } from './lane.ts'
import { afterFailure } from './policy.ts'
import { type EdgeEvent, type RunEngineOptions, type RunPorts, type Shape, WorkFailure } from './ports.ts'
import { Report } from './report.ts'
import { SWARM, type Topology, topologyOf } from './topology.ts'
import type { InvocationKey, RunResult } from './types.ts'

/**
 * Runs a plan once. Resolves in every case: failures of the user's code, lost devices and cancelling are in the result.
 * Throws only when the plan itself is broken (a task or device that does not exist, a cycle).
 */
export function executePlan(plan: Plan, ports: RunPorts, options: RunEngineOptions): Promise<RunResult> {
  if (options.devices.length === 0) throw new Error('A run needs at least one device.')
  return new Engine(plan, ports, options).run()
}

class Engine implements Core {
  readonly topology: Topology
  readonly ports: RunPorts
  readonly options: RunEngineOptions
  readonly report: Report
  readonly #abort = new AbortController()
  readonly #lanes = new Map<string, Lane>()
  readonly #byTask = new Map<string, Lane[]>()
  readonly #cloud: CloudScheduler
  readonly #edge: EdgeScheduler
  #epoch = 0
  #end: { state: 'succeeded' | 'failed' | 'cancelled'; message?: string } | null = null
  #ended: () => void = () => {}
  #dirty = true
  #stepping = false

  constructor(plan: Plan, ports: RunPorts, options: RunEngineOptions) {
    this.topology = topologyOf(plan)
    this.ports = ports
    this.options = options
    this.report = new Report(plan, () => ports.now(), options.onEvent ?? (() => {}))
    for (const task of this.topology.order) this.#makeLanes(task)
    this.#cloud = new CloudScheduler(this)
    this.#edge = new EdgeScheduler(this)
  }

  async run(): Promise<RunResult> {
    const { signal } = this.options
    const finished = new Promise<void>((resolve) => {
      this.#ended = resolve
    })
    const cancel = () => this.#finish('cancelled', 'The run was cancelled.')
    const unsubscribe = this.ports.onEdge((event) => {
      if (this.over) return
      this.#onEdge(event)
      this.step()
    })
    this.report.state('running')
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    this.#startRoots()
    this.step()
    await finished
    signal?.removeEventListener('abort', cancel)
    this.#abort.abort()
    await this.#cloud.drained()
    unsubscribe()
    this.#addNotes()
    return this.report.finish(this.#end?.state ?? 'failed', this.#end?.message)
  }

  get over(): boolean {
    return this.#end !== null
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  nextEpoch(): number {
    this.#epoch += 1
    return this.#epoch
  }

  hasLane(task: string, device: string): boolean {
    return this.#lanes.has(`${task} ${device}`)
  }

  lane(task: string, device: string): Lane {
    const lane = this.#lanes.get(`${task} ${device}`)
    if (!lane) throw new Error(`Task '${task}' has no lane '${device}'.`)
    return lane
  }

  lanesOf(task: PlanTask): Lane[] {
    return this.#byTask.get(task.name) ?? []
  }

  emit(lane: Lane, seq: number, value: unknown): void {
    const { task, device } = lane
    lane.emitted.add(seq)
    if (task.children.length === 0 && task.dataOut !== null)
      this.report.output(task.name, task.dataOut, device, seq, value)
    for (const child of this.#outsideChildren(lane)) child.gate?.offer(task.name, device, seq, value)
    this.#dirty = true
  }

  started(invocation: Invocation): void {
    this.report.task(invocation.key.task, (state) => {
      state.started += 1
      state.state = 'running'
    })
  }

  completed(invocation: Invocation, items: number): void {
    if (invocation.state === 'done') return
    const { lane } = invocation
    const wasStarted = invocation.state === 'running'
    invocation.state = 'done'
    invocation.items = items
    if (items > (lane.most?.items ?? 0)) lane.most = invocation
    if (lane.task.tier !== 'edge') invocation.inputs = undefined
    lane.open -= 1
    this.#dirty = true
    this.report.task(lane.task.name, (state) => {
      if (!wasStarted) state.started += 1
      state.done += 1
      state.state = 'running'
    })
  }

  abandon(invocation: Invocation, failure: WorkFailure, giveUp: boolean): void {
    const { lane, key } = invocation
    this.report.task(key.task, (state) => {
      state.failed += 1
      if (!giveUp) state.state = 'failed'
    })
    this.report.log({
      at: this.ports.now(),
      level: 'error',
      source: key.task,
      device: key.device,
      text: failure.detail ? `${failure.message}\n${failure.detail}` : failure.message,
    })
    if (!giveUp) {
      this.failRun(`${describeKey(key)} failed: ${failure.message}`)
      return
    }
    this.report.loss(`${describeKey(key)} was given up: ${failure.message}`)
    invocation.state = 'done'
    lane.open -= 1
    this.#dirty = true
  }

  failRun(message: string): void {
    this.#finish('failed', message)
  }

  step(): void {
    this.#dirty = true
    if (this.#stepping) return
    this.#stepping = true
    try {
      while (this.#dirty && !this.over) {
        this.#dirty = false
        for (const task of this.topology.order) for (const lane of this.lanesOf(task)) this.#settle(lane)
        if (this.over) break
        this.#edge.pump()
        this.#cloud.pump()
      }
      if (!this.over) this.#conclude()
    } finally {
      this.#stepping = false
    }
  }

  #makeLanes(task: PlanTask): void {
    const { devices } = this.options
    if (task.device !== undefined && !devices.includes(task.device))
      throw new Error(
        `Task '${task.name}' is pinned to ${task.device}, which this run does not have: it has ${devices.join(', ')}.`,
      )
    const outside = this.topology.outsideParents(task)
    const lanesOf = ({ name, scope }: PlanTask) =>
      scope === 'swarm' ? [SWARM] : devices.filter((device) => this.topology.runsOn(name, device))
    const parents = new Map(outside.map((name) => [name, lanesOf(this.topology.task(name))]))
    const lanes = lanesOf(task).map((device) => {
      const own =
        task.scope === 'swarm' ? parents : new Map([...parents.keys()].map((key) => [key, [device]]))
      return newLane(task, device, outside.length > 0 ? gateOf(task, own, devices) : null)
    })
    for (const lane of lanes) this.#lanes.set(`${task.name} ${lane.device}`, lane)
    this.#byTask.set(task.name, lanes)
  }

  #startRoots(): void {
    for (const task of this.topology.order)
      if (task.parents.length === 0)
        for (const lane of this.lanesOf(task)) {
          lane.inputsEnded = true
          this.#enqueue(newInvocation(lane, 0, this.#inputs(task, {}), this.ports.now()))
        }
  }

  #enqueue(invocation: Invocation): void {
    if (invocation.lane.task.tier === 'edge') this.#edge.add(invocation)
    else this.#cloud.add(invocation)
    this.#dirty = true
  }

  /** Values by data name: what parents wrote, else the run's inputs, else null. */
  #inputs(task: PlanTask, parts: Record<string, unknown>): Record<string, unknown> {
    const inputs: Record<string, unknown> = {}
    for (const data of task.dataIn) {
      const parent = task.parents.find((name) => this.topology.task(name).dataOut === data)
      if (parent !== undefined && !Object.hasOwn(parts, parent)) continue
      inputs[data] = parent !== undefined ? parts[parent] : (this.options.inputs?.[data] ?? null)
    }
    return inputs
  }

  /** Lanes of children that hear of this lane through the engine. */
  #outsideChildren(lane: Lane): Lane[] {
    return lane.task.children
      .filter((child) => !this.topology.wired(lane.task.name, child))
      .map((child) => [child, this.topology.task(child).scope === 'swarm' ? SWARM : lane.device] as const)
      .filter(([child, device]) => this.hasLane(child, device))
      .map(([child, device]) => this.lane(child, device))
  }

  /** Brings one lane up to date with its parents and its invocations, and tells its children. */
  #settle(lane: Lane): void {
    if (lane.ended) return
    const { gate, task, device } = lane
    if (gate) {
      for (const { seq, parts } of gate.take())
        this.#enqueue(newInvocation(lane, seq, this.#inputs(task, parts), this.ports.now()))
      if (gate.ended) lane.inputsEnded = true
    }
    if (lane.outputShape === undefined) this.#decideShape(lane)
    this.#checkCount(lane)
    if (this.over || !this.#hasEnded(lane)) return
    lane.ended = true
    for (const child of this.#outsideChildren(lane)) {
      if (lane.outputShape === undefined) child.gate?.setShape(task.name, 'stream')
      child.gate?.end(task.name, device)
    }
    if (this.lanesOf(task).every((each) => each.ended))
      this.report.task(task.name, (state) => (state.state = 'done'))
    this.#dirty = true
  }

  #decideShape(lane: Lane): void {
    const input = this.#inputShape(lane)
    const first = lane.invocations.get(0)
    if (input === 'object' && first?.state === 'done')
      this.#setShape(lane, first.items === 1 ? 'object' : 'stream')
    if (input === 'stream') this.#setShape(lane, 'stream')
  }

  /** What a task is called with: a stream as soon as one parent's output is, an object when all are. */
  #inputShape(lane: Lane): Shape | undefined {
    const shapes = lane.task.parents
      .filter((parent) => this.topology.wired(parent, lane.task.name))
      .map((parent) => this.lane(parent, lane.device).outputShape)
    if (lane.gate) shapes.push(lane.gate.shape)
    if (shapes.includes('stream')) return 'stream'
    return shapes.includes(undefined) ? undefined : 'object'
  }

  #setShape(lane: Lane, shape: Shape): void {
    lane.outputShape = shape
    this.#dirty = true
    for (const child of this.#outsideChildren(lane)) child.gate?.setShape(lane.task.name, shape)
  }

  /** A stream's items keep their numbers, so a task may emit at most one for each. */
  #checkCount(lane: Lane): void {
    if (lane.most && lane.most.items > 1 && this.#inputShape(lane) === 'stream') this.#tooMany(lane.most)
  }

  #tooMany(invocation: Invocation): void {
    this.failRun(
      `${describeKey(invocation.key)} emitted ${invocation.items} items for one item of a stream. A task that reads a stream may emit at most one for each; return a list instead.`,
    )
  }

  #hasEnded(lane: Lane): boolean {
    if (lane.task.tier !== 'edge') return lane.inputsEnded && lane.open === 0
    const group = this.#edge.groupOf(lane)
    if (!group) return false
    const outside = this.topology.outsideParents(lane.task).length
    const { parents } = lane.task
    if (outside === parents.length && lane.inputsEnded && lane.open === 0) return true
    const quiet = this.#edge.isQuiet(lane)
    const only = outside === 0 && parents.length === 1 ? parents[0] : undefined
    if (only === undefined) return quiet
    const parent = this.lane(only, lane.device)
    if (!parent.ended || (group.gaveUp && !quiet)) return false
    const missing = [...parent.emitted].filter((seq) => lane.invocations.get(seq)?.state !== 'done')
    if (quiet && missing.length > 0)
      this.report.loss(
        `'${lane.task.name}' on ${lane.device} never answered for items ${missing.join(', ')}.`,
      )
    return quiet || missing.length === 0
  }

  #onEdge(event: EdgeEvent): void {
    if (event.type === 'span') this.report.span(event.span)
    else if (event.type === 'log') this.report.log(event.line)
    else if (event.type === 'deviceUp') this.#edge.deviceUp(event.device, event.message)
    else if (event.type === 'deviceLost') this.#edge.deviceLost(event.device, event.respawning, event.message)
    else this.#onKeyed(event, event.key)
    this.#dirty = true
  }

  #onKeyed(event: Extract<EdgeEvent, { key: InvocationKey }>, key: InvocationKey): void {
    const lane = this.#lanes.get(`${key.task} ${key.device}`)
    if (!lane) {
      this.report.note(
        'warn',
        `A message about ${describeKey(key)}, which this run does not have, was ignored.`,
      )
      return
    }
    if (event.type === 'output') {
      this.emit(lane, key.seq, event.value)
      return
    }
    const known = lane.invocations.get(key.seq)
    if (event.type === 'entryDone') {
      if (known) this.#edge.entryDone(known, event.epoch)
      return
    }
    const { parents } = lane.task
    const onlyOutside = this.topology.outsideParents(lane.task).length === parents.length
    if (!known && onlyOutside) return
    const invocation = known ?? newInvocation(lane, key.seq, undefined, this.ports.now())
    if (event.type === 'taskDone') this.#taskDone(lane, invocation, event.items)
    else this.#taskFailed(lane, invocation, new WorkFailure(event.kind, event.message, event.detail))
  }

  #taskDone(lane: Lane, invocation: Invocation, items: number): void {
    for (let index = 0; index < items; index += 1) {
      const seq = invocation.key.seq + index
      lane.emitted.add(seq)
      for (const child of this.#outsideChildren(lane))
        if (lane.task.dataOut === null || !child.task.dataIn.includes(lane.task.dataOut))
          child.gate?.offer(lane.task.name, lane.device, seq, null)
    }
    this.completed(invocation, items)
    this.#dirty = true
  }

  /** The agent has done what tries it may; a task to be repartitioned goes to another device. */
  #taskFailed(lane: Lane, invocation: Invocation, failure: WorkFailure): void {
    const group = this.#edge.groupOf(lane)
    const again = invocation.state === 'done'
    if (!group || (again && group.attempt === 1)) return
    const attempt = lane.task.restore === 'repartition' ? 1 : Number.MAX_SAFE_INTEGER
    const next = afterFailure(lane.task, failure.kind, attempt)
    if (next === 'retry' && this.#edge.repartition(lane)) return
    group.gaveUp = true
    if (again) {
      // It went well before, but what runs below it was lost with its device and waits for it once more.
      const text = `${describeKey(invocation.key)} failed when begun anew: ${failure.message}`
      if (next === 'giveUp') this.report.loss(text)
      else this.failRun(text)
      return
    }
    invocation.items =
      lane.invocations.size > 1 ? Number(lane.emitted.has(invocation.key.seq)) : lane.emitted.size
    this.abandon(invocation, failure, next === 'giveUp')
  }

  #conclude(): void {
    if ([...this.#lanes.values()].every((lane) => lane.ended)) {
      this.#finish('succeeded')
      return
    }
    if (this.#cloud.busy > 0 || this.#edge.busy) return
    const stuck = [...this.#lanes.values()].filter((lane) => !lane.ended).map(({ task }) => `'${task.name}'`)
    this.failRun(
      `The run cannot go on: nothing is under way, but ${[...new Set(stuck)].join(', ')} did not end.`,
    )
  }

  #finish(state: 'succeeded' | 'failed' | 'cancelled', message?: string): void {
    if (this.#end) return
    this.#end = { state, ...(message !== undefined && { message }) }
    this.#abort.abort()
    this.#ended()
  }

  #addNotes(): void {
    for (const lane of this.#lanes.values()) {
      const notes = lane.gate?.notes()
      if (notes?.loss && lane.ended) this.report.loss(notes.loss)
      if (notes?.info) this.report.note('info', notes.info)
    }
  }
}
