/** One lane of one run on a device: carries out what its run core decides. */
import type { Down, SpanRecord, StartLane } from '@hivemind/agent-protocol'
import { MAX_READY_ON_DEVICE } from '@hivemind/swarm'
import { leavesDevice, type Plan, type PlanTask } from '@hivemind/synthesis'
import type { ValueRef } from '@hivemind/values'
import { Backlog } from '../backlog.ts'
import type { CoreEffect, CoreEvent, Dispatch } from '../core/events.ts'
import { type CorePlan, compileForDevice } from '../core/plan.ts'
import { newRunState, type RunState } from '../core/state.ts'
import { step } from '../core/step.ts'
import { inputsOf } from '../inputs.ts'
import { executionTraceparent } from '../trace/ids.ts'
import { OnTheWay } from './on-the-way.ts'
import type { DeviceOptions, DevicePorts, EmittedValue, WireItem, WorkError, WorkResult } from './ports.ts'
import { newSpan } from './span.ts'
import { wrongCount } from './wrong-count.ts'

/** A dispatch under way. */
interface Try {
  dispatch: Dispatch
  span: SpanRecord
  abort(): void
}

export class DeviceLane {
  readonly run: string
  readonly lane: string
  readonly generation: number
  readonly #plan: Plan
  readonly #ports: DevicePorts
  readonly #message: StartLane
  readonly #core: CorePlan
  readonly #state: RunState
  readonly #tries = new Map<number, Try>()
  /** Spans of invocations that have ended and are to be reported with their end. */
  readonly #ended = new Map<string, { span: SpanRecord; state?: Uint8Array }>()
  readonly #timers = new Set<() => void>()
  /** Objects that go on when their task has ended. */
  readonly #objects = new Map<number, ValueRef | null>()
  /** What each task has sent and the service has not acknowledged. */
  readonly #ways = new Map<number, OnTheWay>()
  /** What waits here for a slot, before sensors wait. */
  readonly #backlog: Backlog
  readonly #device: string
  readonly #events: CoreEvent[] = []
  #stepping = false
  #stopped = false

  constructor(
    plan: Plan,
    message: StartLane,
    { device, slots, maxReady = MAX_READY_ON_DEVICE }: DeviceOptions,
    ports: DevicePorts,
  ) {
    this.#plan = plan
    this.#ports = ports
    this.#message = message
    this.run = message.run
    this.lane = message.lane
    this.generation = message.generation
    const devices = message.devices.map((name) => ({ name, class: '*' }))
    this.#core = compileForDevice(plan, { name: message.lane, class: '*' }, devices)
    this.#state = newRunState(this.#core, {
      slots,
      slotsPerFunction: 1,
      ...(message.maxItems !== undefined && { itemsPerDevice: message.maxItems }),
    })
    this.#backlog = new Backlog(this.#state, maxReady)
    this.#device = device
  }

  start(): void {
    const { done, states, generators } = this.#message
    this.#tell({ type: 'resume', at: this.#ports.now(), lane: { done, states, generators } })
    this.#tell({ type: 'start', at: this.#ports.now() })
  }

  handle(message: Exclude<Down, { t: 'start' | 'stop' }>): void {
    const task = this.#core.taskByName.get(message.task)
    const child = this.#core.taskByName.get(message.child)
    if (task === undefined || child === undefined) return
    const at = this.#ports.now()
    if (message.t === 'ended') {
      this.#tell({ type: 'outsideEnded', at, task, child })
      return
    }
    this.#tell({
      type: 'reached',
      at,
      task,
      device: 0,
      seq: message.seq,
      ref: message.ref,
      child,
    })
  }

  arrived(name: string, item: WireItem): void {
    const task = this.#core.taskByName.get(item.task)
    const child = this.#core.taskByName.get(name)
    if (task === undefined || child === undefined) return
    const { seq, ref } = item
    this.#tell({ type: 'reached', at: this.#ports.now(), task, device: 0, seq, ref, child })
  }

  stop(): void {
    this.#stopped = true
    for (const cancel of this.#timers) cancel()
    for (const { abort } of this.#tries.values()) abort()
    this.#tries.clear()
    this.#backlog.stop()
  }

  /** Events are taken one after the other, also those that carrying out an effect gives. */
  #tell(event: CoreEvent): void {
    this.#events.push(event)
    if (this.#stepping) return
    this.#stepping = true
    try {
      const effects: CoreEffect[] = []
      for (let next = this.#events.shift(); next && !this.#stopped; next = this.#events.shift()) {
        step(this.#state, next, effects)
        for (const effect of effects.splice(0)) this.#carryOut(effect)
      }
      this.#backlog.changed()
    } finally {
      this.#stepping = false
    }
  }

  #carryOut(effect: CoreEffect): void {
    switch (effect.type) {
      case 'dispatch':
        void this.#work(effect)
        return
      case 'cancelDispatch':
        this.#tries.get(effect.delivery)?.abort()
        return
      case 'setTimer': {
        const cancel = this.#ports.after(effect.at - this.#ports.now(), () => {
          this.#timers.delete(cancel)
          this.#tell({ type: 'timer', at: this.#ports.now(), id: effect.id })
        })
        this.#timers.add(cancel)
        return
      }
      case 'ended': {
        const key = `${effect.task} ${effect.seq}`
        const ended = this.#ended.get(key)
        this.#ended.delete(key)
        this.#passObject(effect.task)
        if (!effect.givenUp && ended) this.#reportDone(effect, ended)
        else if (effect.missed) this.#reportDropped(effect)
        return
      }
      case 'gaveUp': {
        const key = `${effect.task} ${effect.seq}`
        const span = this.#ended.get(key)?.span
        this.#ended.delete(key)
        const { kind, message, detail, items } = effect
        if (span)
          void this.#ports.send({
            t: 'failed',
            run: this.run,
            lane: this.lane,
            task: this.#nameOf(effect.task),
            seq: effect.seq,
            generation: this.generation,
            ...{ kind, message, detail, items, span, final: true },
          })
        return
      }
      case 'note':
        this.#log(effect.level, effect.task === undefined ? 'agent' : this.#nameOf(effect.task), effect.text)
        return
      case 'end':
        if (effect.state === 'failed') this.#log('error', 'agent', effect.message ?? 'The run failed here.')
        return
      default:
        return
    }
  }

  #onTheWay(task: number): OnTheWay {
    const known = this.#ways.get(task)
    if (known) return known
    const way = new OnTheWay()
    this.#ways.set(task, way)
    return way
  }

  #goesEarly(task: number): boolean {
    return this.#taskOf(task).children.some(({ wired, early }) => wired && early)
  }

  /** The object of a task that has ended goes on. */
  #passObject(id: number): void {
    const ref = this.#objects.get(id)
    if (ref === undefined) return
    this.#objects.delete(id)
    const task = this.#nameOf(id)
    const { run, lane, generation } = this
    this.#ports.pass(task, { run, lane, task, seq: 0, generation, ref })
  }

  #reportDone(
    { task, seq, items, missed }: { task: number; seq: number; items: number; missed: boolean },
    { span, state }: { span: SpanRecord; state?: Uint8Array },
  ): void {
    void this.#ports.send({
      t: 'done',
      run: this.run,
      lane: this.lane,
      task: this.#nameOf(task),
      seq,
      generation: this.generation,
      items,
      span,
      ...(state && { state }),
      ...(missed && { missed }),
    })
  }

  /** It was dropped at its deadline: nothing ran, and the service counts it as missed. */
  #reportDropped({ task, seq }: { task: number; seq: number }): void {
    const at = this.#ports.now()
    const { plan } = this.#taskOf(task)
    void this.#ports.send({
      t: 'failed',
      run: this.run,
      lane: this.lane,
      task: plan.name,
      seq,
      generation: this.generation,
      kind: 'deadline',
      message: `It could not start within its deadline of ${plan.deadlineMs} ms.`,
      detail: '',
      items: 0,
      span: { ...newSpan(this.#device, at, 1), startedAt: at, endedAt: at, ok: false },
      final: true,
    })
  }

  async #work(dispatch: Dispatch): Promise<void> {
    const { plan } = this.#taskOf(dispatch.task)
    const ports = this.#ports
    const { signal, abort } = ports.abortable()
    const span = newSpan(this.#device, dispatch.readyAt, dispatch.attempt)
    this.#tries.set(dispatch.delivery, { dispatch, span, abort })
    const { devices, inputs, run, traceparent } = this.#message
    try {
      const result = await ports.execute(
        {
          run,
          task: plan,
          lane: this.lane,
          deviceIndex: devices.indexOf(this.lane),
          devices,
          seq: dispatch.seq,
          attempt: dispatch.attempt,
          inputs: inputsOf(this.#plan, plan, dispatch.parts, inputs),
          state: dispatch.state,
          firstItem: dispatch.firstItem,
          maxItems: dispatch.maxItems,
          traceparent: executionTraceparent(run, traceparent, {
            task: plan.name,
            device: this.lane,
            seq: dispatch.seq,
            attempt: dispatch.attempt,
          }),
        },
        (item, index) => this.#emit(dispatch, plan, span, item, index),
        (level, text) => this.#log(level, plan.name, text),
        signal,
      )
      const fault = wrongCount(plan, result.items)
      if (fault !== undefined) throw { kind: 'value', message: fault, detail: '' } satisfies WorkError
      if (!this.#stopped) this.#workDone(dispatch, span, result)
    } catch (error) {
      if (!this.#stopped) this.#workFailed(dispatch, span, error as WorkError)
    } finally {
      this.#tries.delete(dispatch.delivery)
    }
  }

  async #emit(
    { task, seq: call, firstItem, delivery }: Dispatch,
    plan: PlanTask,
    span: SpanRecord,
    { value, state }: EmittedValue,
    index: number,
  ): Promise<void> {
    // Too many: the call fails when it has ended, with a sentence that says how many there were.
    if (this.#stopped || (index > 0 && !(plan.kindIn === 'object' && plan.kindOut === 'stream'))) return
    const ports = this.#ports
    const from = ports.now()
    const seq = plan.kindIn === 'stream' ? call : firstItem + index
    const where = { run: this.run, lane: this.lane, task: plan.name, seq }
    const inline: ValueRef | null = plan.dataOut === null ? null : { kind: 'inline', ...value }
    const item: WireItem = { ...where, generation: this.generation, ref: inline }
    span.bytesOut += value.bytes.length
    // An object goes on when its task has ended, or at once to a task that may overlap with it.
    if (plan.kindOut === 'stream' || this.#goesEarly(task)) ports.pass(plan.name, item)
    else this.#objects.set(task, item.ref)
    this.#tell({ type: 'item', at: from, task, device: 0, seq, ref: null, delivery, ...(state && { state }) })
    const leaves = leavesDevice(this.#plan, plan)
    const ref = leaves ? await ports.share(value, where) : null
    const sentAt = ports.now()
    const taken = ports.send({
      t: 'item',
      ...where,
      generation: this.generation,
      ref,
      at: from,
      ...(state && { state }),
    })
    // A task goes on while not too much is on its way; what stays needs no answer.
    if (leaves) await this.#onTheWay(task).add(ref?.kind === 'inline' ? ref.bytes.length : 0, taken)
    if (isSensor(plan)) await this.#whenRoom()
    span.management += ports.now() - sentAt
  }

  /** A sensor could go on without end: it waits for the tasks on its device, and for the service to take what they say. */
  async #whenRoom(): Promise<void> {
    await this.#backlog.whenRoom()
    if (!this.#stopped) await this.#ports.whenRoom()
  }

  #workDone(dispatch: Dispatch, span: SpanRecord, result: WorkResult): void {
    const { plan } = this.#taskOf(dispatch.task)
    const endedAt = this.#ports.now()
    const items = dispatch.firstItem + result.items - (plan.kindIn === 'stream' ? dispatch.seq : 0)
    span.endedAt = endedAt
    span.startedAt = Math.max(span.queuedAt, endedAt - result.executionMs - result.callMs - span.management)
    span.execution = result.executionMs
    span.dataExchange = result.callMs
    span.management += Math.max(0, span.startedAt - span.queuedAt)
    span.bytesIn = result.bytesIn
    span.items = result.items
    this.#ended.set(`${dispatch.task} ${dispatch.seq}`, {
      span,
      ...(result.state && { state: result.state }),
    })
    this.#tell({
      type: 'done',
      at: endedAt,
      task: dispatch.task,
      device: 0,
      seq: dispatch.seq,
      delivery: dispatch.delivery,
      items,
      ...(result.state && { state: result.state }),
    })
  }

  #workFailed(
    dispatch: Dispatch,
    span: SpanRecord,
    { kind = 'crash', message, detail = '' }: WorkError,
  ): void {
    const at = this.#ports.now()
    Object.assign(span, {
      ok: false,
      error: message,
      startedAt: Math.max(span.queuedAt, span.startedAt),
      endedAt: at,
    })
    const { task, seq, delivery } = dispatch
    this.#ended.set(`${task} ${seq}`, { span })
    this.#tell({ type: 'failed', at, task, device: 0, seq, delivery, kind, message, detail })
    if (!this.#ended.delete(`${task} ${seq}`)) return
    // Another try follows here: the service hears of this one all the same.
    void this.#ports.send({
      t: 'failed',
      run: this.run,
      lane: this.lane,
      task: this.#nameOf(task),
      seq,
      generation: this.generation,
      ...{ kind, message, detail, items: 0, span, final: false },
    })
  }

  #log(level: 'debug' | 'info' | 'warn' | 'error', source: string, text: string): void {
    void this.#ports.send({
      t: 'log',
      run: this.run,
      lines: [{ at: this.#ports.now(), level, source, text }],
    })
  }

  #taskOf(id: number) {
    const task = this.#core.tasks[id]
    if (!task) throw new Error(`There is no task ${id}.`)
    return task
  }

  #nameOf(id: number): string {
    return this.#taskOf(id).plan.name
  }
}

const isSensor = ({ kindIn, kindOut, parents }: PlanTask): boolean =>
  kindIn === 'object' && kindOut === 'stream' && parents.length === 0
