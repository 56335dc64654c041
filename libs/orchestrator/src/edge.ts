/**
 * Dispatch to the edge. A device runs the tasks wired together on it by itself; the engine delivers the entries of such
 * a component, and redoes them when the agent is lost (paper section 4.6), under the lane's own device name.
 */
import type { Core } from './core.ts'
import { mustWait } from './core.ts'
import { describeKey, type Invocation, type Lane } from './lane.ts'
import { MAX_ATTEMPTS } from './policy.ts'
import { WorkFailure } from './ports.ts'
import { type Component, SWARM } from './topology.ts'

/** A component on one lane. */
export interface Group {
  component: Component
  device: string
  lanes: Lane[]
  entries: Lane[]
  /** The agent that does the work. */
  agent: string
  /** Times its work was begun anew. */
  attempt: number
  ready: Invocation[]
  /** Delivered, and not answered by `entryDone` yet. */
  underway: Set<Invocation>
  /** An invocation was given up, so that what its parent emitted no longer says what is still to come. */
  gaveUp: boolean
}

type AgentState = 'up' | 'respawning' | 'gone'

export class EdgeScheduler {
  readonly groups: Group[] = []
  readonly #core: Core
  readonly #agents: Map<string, AgentState>
  readonly #groupOf = new Map<Lane, Group>()

  constructor(core: Core) {
    this.#core = core
    const { devices } = core.options
    this.#agents = new Map(devices.map((device) => [device, 'up']))
    let spread = 0
    for (const component of core.topology.components) {
      const wide = component.tasks[0]?.scope === 'swarm'
      for (const device of wide ? [SWARM] : devices) {
        const lanes = component.tasks
          .filter((task) => core.hasLane(task.name, device))
          .map((task) => core.lane(task.name, device))
        if (lanes.length === 0) continue
        const group: Group = {
          component,
          device,
          lanes,
          entries: lanes.filter((lane) => component.entries.includes(lane.task)),
          agent: wide ? (devices[spread % devices.length] ?? '') : device,
          attempt: 1,
          ready: [],
          underway: new Set(),
          gaveUp: false,
        }
        this.groups.push(group)
        for (const lane of lanes) this.#groupOf.set(lane, group)
      }
      if (wide) spread += 1
    }
  }

  groupOf(lane: Lane): Group | undefined {
    return this.#groupOf.get(lane)
  }

  add(invocation: Invocation): void {
    const group = this.#groupOf.get(invocation.lane)
    if (!group) return
    group.ready.push(invocation)
    group.ready.sort((a, b) => b.lane.task.priority - a.lane.task.priority)
  }

  /** Whether an answer may still come from an agent, or an agent with work may still come back. */
  get busy(): boolean {
    return this.groups.some(
      (group) =>
        group.underway.size > 0 || (group.ready.length > 0 && this.#agents.get(group.agent) === 'respawning'),
    )
  }

  /** Delivers what may be delivered. */
  pump(): void {
    for (const group of this.groups) {
      if (this.#agents.get(group.agent) !== 'up') continue
      for (const invocation of [...group.ready]) {
        if (this.#core.over) return
        if (!this.#mayStart(group, invocation)) continue
        group.ready.splice(group.ready.indexOf(invocation), 1)
        this.#deliver(group, invocation)
      }
    }
  }

  /**
   * Nothing more can come of a task on a device: all that is entered above it there, or at it, has been entered, and
   * those entries and what ran below them have ended.
   */
  isQuiet(lane: Lane): boolean {
    const group = this.#groupOf.get(lane)
    if (!group) return false
    const above = group.component.entriesAbove.get(lane.task.name) ?? new Set()
    const concerns = (other: Lane) => above.has(other.task.name)
    return (
      group.entries.every((entry) => entry.inputsEnded || !concerns(entry)) &&
      ![...group.underway, ...group.ready].some((invocation) => concerns(invocation.lane))
    )
  }

  entryDone(invocation: Invocation, epoch: number): void {
    const group = this.#groupOf.get(invocation.lane)
    if (!group || invocation.epoch !== epoch) return
    group.underway.delete(invocation)
    if (!group.component.joins) invocation.inputs = undefined
  }

  /** The agent came back (or a new one under its name). */
  deviceUp(device: string, message: string): void {
    const before = this.#agents.get(device)
    this.#agents.set(device, 'up')
    this.#core.report.device(device, before === 'up' ? 'up' : 'respawned', message)
  }

  deviceLost(device: string, respawning: boolean, message: string): void {
    const before = this.#agents.get(device)
    this.#agents.set(device, respawning ? 'respawning' : 'gone')
    this.#core.report.device(device, 'lost', message)
    for (const group of this.groups) {
      if (group.agent !== device || group.lanes.every((lane) => lane.ended)) continue
      if (before === 'up') this.#recall(group, message)
      const moving = group.component.tasks.some(({ restore }) => restore === 'repartition')
      if (!this.#core.over && (moving || !respawning)) this.#move(group, respawning)
      if (this.#core.over) return
    }
  }

  /** A task failed there and its policy is to try on another device. Returns false when there is none or no try is left. */
  repartition(lane: Lane): boolean {
    const group = this.#groupOf.get(lane)
    const other = group && this.#other(group.agent)
    if (!group || !other || group.attempt >= MAX_ATTEMPTS) return false
    group.attempt += 1
    this.#requeue(group, this.#toRedo(group))
    this.#assign(group, other)
    return true
  }

  /** Takes back what the lost agent had not finished, by policy. May end the run. */
  #recall(group: Group, message: string): void {
    const redo = this.#toRedo(group)
    if (redo.length === 0) return
    if (redo.every(({ lane }) => lane.task.restore === 'ignore')) {
      group.underway.clear()
      group.gaveUp = true
      for (const invocation of redo)
        if (invocation.state !== 'done')
          this.#core.abandon(invocation, new WorkFailure('lost', message), true)
        else this.#core.report.loss(`What ran below ${describeKey(invocation.key)} was given up: ${message}`)
      return
    }
    group.attempt += 1
    if (group.attempt > MAX_ATTEMPTS)
      this.#core.failRun(
        `${message} It was lost ${MAX_ATTEMPTS} times during ${this.#workOf(group)}, which could not be finished.`,
      )
    else this.#requeue(group, redo)
  }

  /**
   * The entries a lost agent owes: those not answered; and where tasks join on the device, those whose items may have
   * been waiting in a join there, which is gone.
   */
  #toRedo(group: Group): Invocation[] {
    const owed = (invocation: Invocation) =>
      group.underway.has(invocation) ||
      (group.component.joins &&
        invocation.epoch > 0 &&
        (invocation.key.seq === 0 ||
          group.lanes.some((lane) => lane.invocations.get(invocation.key.seq)?.state !== 'done')))
    return group.entries.flatMap((lane) => [...lane.invocations.values()].filter(owed))
  }

  #requeue(group: Group, redo: Invocation[]): void {
    for (const invocation of redo) {
      group.underway.delete(invocation)
      if (!group.ready.includes(invocation)) this.add(invocation)
    }
  }

  #move(group: Group, mayWait: boolean): void {
    const other = this.#other(group.agent)
    if (other) this.#assign(group, other)
    else if (!mayWait)
      this.#core.failRun(
        `Device ${group.agent} was lost and no other device is left: ${this.#workOf(group)} could not be finished.`,
      )
  }

  #assign(group: Group, agent: string): void {
    const text = `${this.#workOf(group)} moves from ${group.agent} to ${agent}.`
    if (this.#agents.get(group.agent) === 'gone')
      this.#core.report.loss(`Device ${group.agent} was given up; ${text}`)
    else this.#core.report.note('warn', text, group.agent)
    group.agent = agent
  }

  /** The device that is up and has the least groups, the first of equals. */
  #other(not: string): string | undefined {
    const load = (device: string) => this.groups.filter(({ agent }) => agent === device).length
    return [...this.#agents]
      .filter(([device, state]) => state === 'up' && device !== not)
      .map(([device]) => device)
      .sort((a, b) => load(a) - load(b))[0]
  }

  #workOf(group: Group): string {
    const names = group.component.tasks.map(({ name }) => `'${name}'`).join(', ')
    return group.device === SWARM ? `the work of ${names}` : `the work of ${names} for ${group.device}`
  }

  #mayStart(group: Group, invocation: Invocation): boolean {
    const { lane } = invocation
    if (group.component.joins && lane.gate && lane.gate.shape === undefined) return false
    let open = 0
    for (const other of group.underway) if (other.lane === lane && other.state === 'running') open += 1
    if (open >= (this.#core.options.edgeWindow ?? 4)) return false
    return !mustWait(this.#core, invocation)
  }

  #deliver(group: Group, invocation: Invocation): void {
    const core = this.#core
    const { lane, key } = invocation
    if (invocation.state === 'ready') {
      invocation.state = 'running'
      core.started(invocation)
    }
    group.underway.add(invocation)
    invocation.epoch = core.nextEpoch()
    const { epoch } = invocation
    const work = {
      run: core.options.run,
      key,
      inputs: invocation.inputs ?? {},
      shape: lane.gate ? lane.gate.shape : ('object' as const),
      attempt: group.attempt,
      epoch,
      readyAt: invocation.readyAt,
    }
    core.ports.dispatchEdge(work, group.agent).catch((error: unknown) => {
      if (core.over || invocation.epoch !== epoch) return
      // A lost agent is told as `deviceLost`, which puts the entry back.
      if (error instanceof WorkFailure && error.kind === 'lost') return
      const message = error instanceof Error ? error.message : String(error)
      core.failRun(`${describeKey(key)} could not be delivered to ${group.agent}: ${message}`)
    })
  }
}
