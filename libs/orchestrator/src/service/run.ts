/**
 * A run in the service: the core decides, this carries out. Cloud invocations go to functions, messages to devices; what
 * comes back is told to the core. Values are passed on as references and never looked into.
 */
import type { Down, Up } from '@hivemind/agent-protocol'
import type { Plan } from '@hivemind/synthesis'
import { Backlog } from '../backlog.ts'
import type { CoreEffect, CoreEvent, Dispatch, StartLane, StopLane } from '../core/events.ts'
import { type CorePlan, type CoreTask, compileForService, SWARM } from '../core/plan.ts'
import { newRunState, type RunState } from '../core/state.ts'
import { step } from '../core/step.ts'
import { inputsOf } from '../inputs.ts'
import { executionTraceparent } from '../trace/ids.ts'
import { type CloudCall, cloudSpan } from './cloud-span.ts'
import { DeviceSpans } from './device-spans.ts'
import { type FleetEvent, type RunOptions, type RunOutcome, type ServicePorts, WorkFailure } from './ports.ts'
import { RunReport } from './report.ts'

/**
 * Runs a plan once. Resolves in every case: failures of the user's code, lost devices and cancelling are in the outcome.
 * Throws only when the plan itself is broken (a task or device that does not exist, a cycle).
 */
export function executeRun(plan: Plan, ports: ServicePorts, options: RunOptions): Promise<RunOutcome> {
  return new ServiceRun(plan, ports, options).run()
}

/**
 * Goes on with a run whose service was killed, from the events that `RunOptions.journal` was given. The event `resumed` says
 * that outputs and counters follow anew, all of them; log lines and spans of before are not told again. What was under way is lost:
 * cloud invocations as a failed try, work on devices back to what the journal knows of. A journal that lacks its last
 * events is one of an earlier moment. An empty one starts the run.
 */
export function resumeRun(
  plan: Plan,
  ports: ServicePorts,
  options: RunOptions,
  journal: Iterable<CoreEvent>,
): Promise<RunOutcome> {
  return new ServiceRun(plan, ports, options).run(journal)
}

const GOES_ON = 'The service was restarted; the run goes on from where it was.'

/** Invocations that wait for their function, before devices are held back. */
const MAX_WAITING = 1_000

class ServiceRun {
  readonly #plan: Plan
  readonly #ports: ServicePorts
  readonly #options: RunOptions
  readonly #core: CorePlan
  readonly #state: RunState
  readonly #report: RunReport
  readonly #deviceSpans: DeviceSpans
  readonly #backlog: Backlog
  readonly #events: CoreEvent[] = []
  readonly #timers = new Set<() => void>()
  /** Cloud invocations under way, by delivery. */
  readonly #calls = new Map<number, { abort(): void; done: Promise<void> }>()
  #stepping = false
  #ended: (effect: Extract<CoreEffect, { type: 'end' }>) => void = () => {}

  constructor(plan: Plan, ports: ServicePorts, options: RunOptions) {
    this.#plan = plan
    this.#ports = ports
    this.#options = options
    this.#core = compileForService(plan, options.devices, options.edgeNodes)
    const { cloudSlots, slotsPerFunction, itemsPerDevice } = options
    this.#state = newRunState(this.#core, {
      ...(cloudSlots !== undefined && { slots: cloudSlots }),
      ...(slotsPerFunction !== undefined && { slotsPerFunction }),
      ...(itemsPerDevice !== undefined && { itemsPerDevice }),
    })
    this.#report = new RunReport(this.#core, ports, options.onEvent ?? (() => {}))
    this.#backlog = new Backlog(this.#state, options.maxWaiting ?? MAX_WAITING)
    this.#deviceSpans = new DeviceSpans(plan, ports.toServiceTime)
  }

  async run(journal: Iterable<CoreEvent> = []): Promise<RunOutcome> {
    const { signal } = this.#options
    const ended = new Promise<Extract<CoreEffect, { type: 'end' }>>((resolve) => {
      this.#ended = resolve
    })
    const cancel = () =>
      this.#tell({ type: 'cancel', at: this.#ports.now(), message: 'The run was cancelled.' })
    this.#report.state('running')
    const startedAt = this.#replay(journal) ?? this.#ports.now()
    const wasRunning = this.#state.phase === 'running'
    if (wasRunning) {
      this.#report.log({ at: this.#ports.now(), level: 'warn', source: 'run', text: GOES_ON })
      this.#tell({ type: 'interrupted', at: this.#ports.now(), message: 'The service was restarted.' })
    }
    const away = new Set<string>()
    let subscribed = false
    const unsubscribe = this.#ports.onFleet((event) => {
      if (!subscribed && event.type === 'lost') away.add(event.device)
      return this.#onFleet(event)
    })
    subscribed = true
    if (signal?.aborted) cancel()
    else if (wasRunning) this.#findAgents(away)
    else this.#tell({ type: 'start', at: startedAt })
    signal?.addEventListener('abort', cancel, { once: true })
    const { state, message } = await ended
    signal?.removeEventListener('abort', cancel)
    unsubscribe()
    for (const stop of this.#timers) stop()
    for (const { abort } of this.#calls.values()) abort()
    await Promise.all([...this.#calls.values()].map(({ done }) => done))
    return this.#report.finish(state, message, startedAt)
  }

  /** Rebuilds the state, and reports what it holds. Returns when the run was started, `undefined` when it was not. */
  #replay(journal: Iterable<CoreEvent>): number | undefined {
    let startedAt: number | undefined
    const effects: CoreEffect[] = []
    for (const event of journal) {
      if (event.type === 'start') {
        startedAt = event.at
        this.#report.resumed()
      }
      step(this.#state, event, effects)
      for (const effect of effects.splice(0))
        if (effect.type === 'end' || effect.type === 'output') this.#carryOut(effect)
        else if (effect.type === 'note' && effect.loss) this.#report.loss(effect.text)
    }
    if (startedAt !== undefined) for (const { id } of this.#core.tasks) this.#report.taskChanged(id)
    this.#report.flush(this.#state)
    return startedAt
  }

  /** After an interruption: every agent that is not away may have work again. */
  #findAgents(away: ReadonlySet<string>): void {
    for (const [device, { name }] of this.#core.devices.entries())
      if (!away.has(name))
        this.#tell({ type: 'deviceUp', at: this.#ports.now(), device, message: `Agent of ${name} is there.` })
  }

  #tell(event: CoreEvent): void {
    this.#events.push(event)
    if (this.#stepping) return
    this.#stepping = true
    try {
      const effects: CoreEffect[] = []
      for (let next = this.#events.shift(); next; next = this.#events.shift()) {
        this.#options.journal?.(next)
        step(this.#state, next, effects)
        for (const effect of effects.splice(0)) this.#carryOut(effect)
      }
      this.#report.flush(this.#state)
      this.#backlog.changed()
    } finally {
      this.#stepping = false
    }
  }

  #carryOut(effect: CoreEffect): void {
    switch (effect.type) {
      case 'dispatch': {
        if (effect.attempt === 1) this.#report.taskChanged(effect.task)
        const { signal, abort } = this.#ports.newAbort()
        const done = this.#invoke(effect, signal)
        this.#calls.set(effect.delivery, { abort, done })
        return
      }
      case 'cancelDispatch':
        this.#calls.get(effect.delivery)?.abort()
        return
      case 'startLane':
        return this.#send(effect.host, this.#startMessage(effect))
      case 'forward':
        return this.#send(effect.host, {
          t: 'item',
          run: this.#options.run,
          lane: this.#deviceName(effect.lane),
          task: this.#taskOf(effect.task).plan.name,
          seq: effect.seq,
          ref: effect.ref,
          child: this.#taskOf(effect.child).plan.name,
        })
      case 'forwardEnd':
        return this.#send(effect.host, {
          t: 'ended',
          run: this.#options.run,
          lane: this.#deviceName(effect.lane),
          task: this.#taskOf(effect.task).plan.name,
          child: this.#taskOf(effect.child).plan.name,
        })
      case 'stopLane':
        void this.#stop(effect)
        return
      case 'setTimer': {
        const stop = this.#ports.after(Math.max(0, effect.at - this.#ports.now()), () => {
          this.#timers.delete(stop)
          this.#tell({ type: 'timer', at: this.#ports.now(), id: effect.id })
        })
        this.#timers.add(stop)
        return
      }
      case 'output':
        return this.#report.output(effect)
      case 'task':
      case 'ended':
        return this.#report.taskChanged(effect.task)
      case 'note':
        return this.#report.note(effect)
      case 'end':
        return this.#ended(effect)
      case 'gaveUp':
        return
    }
  }

  #send(host: number, message: Down): void {
    void this.#ports.send(this.#deviceName(host), message)
  }

  async #stop({ lane, host }: StopLane): Promise<void> {
    const { run } = this.#options
    await this.#ports.send(this.#deviceName(host), { t: 'stop', run, lane: this.#deviceName(lane) })
    if (this.#state.phase === 'running')
      this.#tell({ type: 'laneStopped', at: this.#ports.now(), lane, host })
  }

  #startMessage({ lane, generation, start: { done, states, generators } }: StartLane): Down {
    const { run, deployment, devices, inputs = {}, itemsPerDevice, traceparent } = this.#options
    return {
      t: 'start',
      run,
      deployment,
      lane: this.#deviceName(lane),
      generation,
      devices: devices.map(({ name }) => name),
      ...(itemsPerDevice !== undefined && { maxItems: itemsPerDevice }),
      ...(traceparent !== undefined && { traceparent }),
      inputs,
      done,
      states,
      generators,
    }
  }

  async #invoke(dispatch: Dispatch, signal: ReturnType<ServicePorts['newAbort']>['signal']): Promise<void> {
    const { run, devices, inputs = {}, traceparent } = this.#options
    const { task, device, seq, delivery, attempt } = dispatch
    const { plan } = this.#taskOf(task)
    const names = devices.map(({ name }) => name)
    const dispatchedAt = this.#ports.now()
    const scatters = this.#taskOf(task).children.some(({ scatter }) => scatter)
    const keyed = { task, device, delivery }
    let emitted = 0
    try {
      const result = await this.#ports.invoke(
        {
          id: `${run}/${plan.name}/${this.#deviceName(device)}/${seq}/${delivery}`,
          run,
          task: plan,
          device: this.#deviceName(device),
          deviceIndex: device,
          devices: names,
          seq,
          attempt,
          inputs: inputsOf(this.#plan, plan, dispatch.parts, inputs),
          state: dispatch.state,
          firstItem: dispatch.firstItem,
          maxItems: dispatch.maxItems,
          scatterTo: scatters ? names : null,
          traceparent: executionTraceparent(run, traceparent, {
            task: plan.name,
            device: this.#deviceName(device),
            seq,
            attempt,
          }),
        },
        ({ ref, parts, state }, index) => {
          emitted = Math.max(emitted, index + 1)
          // The core tells at the end that there were too many.
          if (plan.kindIn === 'stream' && index > 0) return
          this.#tell({
            type: 'item',
            at: this.#ports.now(),
            ...keyed,
            seq: plan.kindIn === 'stream' ? seq : dispatch.firstItem + index,
            ref: parts ? { kind: 'parted', whole: ref, parts } : ref,
            ...(state && { state }),
          })
        },
        signal,
      )
      this.#calls.delete(delivery)
      this.#span(dispatch, { dispatchedAt, result })
      const before = plan.kindIn === 'stream' ? 0 : dispatch.firstItem
      this.#tell({
        type: 'done',
        at: this.#ports.now(),
        ...keyed,
        seq,
        items: before + result.items,
        ...(result.state && { state: result.state }),
      })
    } catch (error) {
      this.#calls.delete(delivery)
      const failure =
        error instanceof WorkFailure
          ? error
          : new WorkFailure('crash', error instanceof Error ? error.message : String(error))
      if (this.#state.phase === 'ended') return
      this.#span(dispatch, { dispatchedAt, failure })
      const { kind, message, detail } = failure
      this.#tell({ type: 'failed', at: this.#ports.now(), ...keyed, seq, kind, message, detail })
    }
  }

  #span(dispatch: Dispatch, call: Omit<CloudCall, 'endedAt'>): void {
    const { plan } = this.#taskOf(dispatch.task)
    const device = this.#deviceName(dispatch.device)
    this.#report.span(cloudSpan(plan, device, dispatch, { ...call, endedAt: this.#ports.now() }))
  }

  #onFleet(event: FleetEvent): Promise<void> | undefined {
    const device = this.#core.deviceByName.get(event.device)
    if (device === undefined) return undefined
    const at = this.#ports.now()
    if (event.type === 'up') {
      this.#report.device(
        event.device,
        this.#state.agents[device] === 'up' ? 'up' : 'respawned',
        event.message,
      )
      this.#tell({ type: 'deviceUp', at, device, message: event.message })
    } else if (event.type === 'lost') {
      this.#report.device(event.device, 'lost', event.message)
      this.#tell({ type: 'deviceLost', at, device, returns: event.returns, message: event.message })
    } else if (event.type === 'capacity') {
      this.#tell({ type: 'capacity', at, device, capacity: event.capacity })
    } else {
      this.#onMessage(device, event.message, at)
      return event.message.t === 'item' ? this.#backlog.whenRoom() : undefined
    }
    return undefined
  }

  #onMessage(host: number, message: Up, at: number): void {
    if (message.run !== this.#options.run) return
    if (message.t === 'log') {
      for (const { at: when, level, source, text } of message.lines)
        this.#report.log({
          at: this.#ports.toServiceTime(this.#deviceName(host), when),
          level,
          source,
          device: this.#deviceName(host),
          text,
        })
      return
    }
    const task = this.#core.taskByName.get(message.task)
    const device = this.#core.deviceByName.get(message.lane)
    if (task === undefined || device === undefined) return
    // A lane may have moved on while this was on its way.
    const lane = this.#state.lanes[device]
    if (!lane?.shares.some((share) => share.host === host)) return
    if (message.generation !== lane.generation && !this.#countsAfterwards(task, message)) return
    const keyed = { task, device, seq: message.seq }
    if (message.t === 'item') {
      this.#deviceSpans.arrived(this.#deviceName(host), message, at)
      this.#tell({
        type: 'item',
        at,
        ...keyed,
        ref: message.ref,
        ...(message.state && { state: message.state }),
      })
    } else if (message.t === 'done') {
      this.#report.span(this.#deviceSpans.ended(this.#deviceName(host), message))
      const { items, state, missed } = message
      this.#tell({
        type: 'done',
        at,
        ...keyed,
        host,
        items,
        ...(state && { state }),
        ...(missed !== undefined && { missed }),
      })
    } else {
      this.#report.span(this.#deviceSpans.ended(this.#deviceName(host), message))
      const { kind, message: text, detail, items, final } = message
      if (final) this.#tell({ type: 'failed', at, ...keyed, host, items, kind, message: text, detail })
    }
  }

  /**
   * Whether a message of an earlier start of its lane counts: an item does, since its value is as good as that of the next
   * start. One of a task that keeps state is not: that goes on from the state that is known here.
   */
  #countsAfterwards(task: number, message: Up): boolean {
    const { stateful, generator } = this.#taskOf(task)
    return message.t === 'item' && (!stateful || generator)
  }

  #taskOf(id: number): CoreTask {
    const task = this.#core.tasks[id]
    if (!task) throw new Error(`There is no task ${id}.`)
    return task
  }

  #deviceName(index: number): string {
    return index < 0 ? SWARM : (this.#core.devices[index]?.name ?? SWARM)
  }
}
