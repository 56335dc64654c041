/** An in-memory swarm for tests of the engine: cloud calls and devices that answer in a random order, and may fail. */
import type { Plan, PlanLink, PlanTask } from '@hivemind/synthesis'
import {
  type EdgeEvent,
  type InvocationKey,
  Join,
  type RunPorts,
  type Shape,
  topologyOf,
  type Work,
  WorkFailure,
} from '../src/index.ts'

export type Rng = () => number

/** A small seeded generator (mulberry32). */
export function rng(seed: number): Rng {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) / 4294967296
  }
}

export function task(name: string, more: Partial<PlanTask> = {}): PlanTask {
  return {
    name,
    tier: 'cloud',
    runtime: 'node',
    code: `${name}.mjs`,
    args: {},
    dataIn: (more.parents ?? []).map((parent) => `${parent}Out`),
    dataOut: `${name}Out`,
    parents: [],
    children: [],
    scope: 'device',
    kindIn: 'object',
    kindOut: 'object',
    serialWith: [],
    isolate: false,
    restore: 'respawn',
    persist: false,
    priority: 0,
    timeoutMs: 1000,
    memoryMB: 100,
    bundle: null,
    ...more,
  }
}

/** Completes children, scopes and links from the tasks' parents. */
export function planOf(tasks: PlanTask[]): Plan {
  const byName = new Map(tasks.map((each) => [each.name, each]))
  for (const each of tasks) {
    each.children = tasks.filter(({ parents }) => parents.includes(each.name)).map(({ name }) => name)
    if (each.barrier || each.parents.some((parent) => byName.get(parent)?.scope === 'swarm'))
      each.scope = 'swarm'
    if (each.scope === 'swarm') each.tier = 'cloud'
  }
  const links = tasks.flatMap((child) =>
    child.parents.map((from): PlanLink => {
      const parent = byName.get(from)
      const ends = [parent, child].filter((each) => each?.tier === 'edge').length
      const data = parent?.dataOut && child.dataIn.includes(parent.dataOut) ? [parent.dataOut] : []
      const transport = ends === 2 ? 'wire' : ends === 1 ? 'thrift' : 'cloudevents'
      return { from, to: child.name, data, transport }
    }),
  )
  return {
    schema: 'hivemind.plan/1',
    workflow: 'test',
    placement: Object.fromEntries(tasks.map(({ name, tier }) => [name, tier])),
    tasks,
    links,
    inputs: [],
    sinks: tasks.filter(({ children }) => children.length === 0).map(({ name }) => name),
    names: { tasks: {}, data: {} },
  }
}

/** Number of items an invocation emits; throws a `WorkFailure` to fail. */
export type Behaviour = (key: InvocationKey, attempt: number) => number

export interface FakeSwarm {
  ports: RunPorts
  /** Every invocation that ran to its end, in order; repetitions after failures included. */
  ran: InvocationKey[]
  /** Most invocations of `Serial` pairs seen together. */
  kill(device: string, respawn: boolean): void
  isUp(device: string): boolean
  underway: () => InvocationKey[]
}

export interface FakeOptions {
  plan: Plan
  devices: string[]
  random: Rng
  behaviour: Behaviour
  /** Called before every delayed action, to inject failures. */
  chaos?: (swarm: FakeSwarm) => void
}

/** Runs everything over `setImmediate` turns in random order; no real time passes. */
export function fakeSwarm({ plan, devices, random, behaviour, chaos }: FakeOptions): FakeSwarm {
  const topology = topologyOf(plan)
  const handlers = new Set<(event: EdgeEvent) => void>()
  const tell = (event: EdgeEvent) => {
    for (const handler of handlers) handler(event)
  }
  const pending: (() => void)[] = []
  let turning = false
  const later = (action: () => void) => {
    pending.splice(Math.floor(random() * (pending.length + 1)), 0, action)
    if (!turning) {
      turning = true
      setImmediate(turn)
    }
  }
  const turn = () => {
    chaos?.(swarm)
    pending.shift()?.()
    if (pending.length > 0) setImmediate(turn)
    else turning = false
  }
  const working = new Set<InvocationKey>()
  const agents = new Map(devices.map((device) => [device, newAgent()]))
  const swarm: FakeSwarm = {
    ran: [],
    underway: () => [...working],
    isUp: (device) => agents.get(device)?.alive === true,
    kill: (device, respawn) => {
      const agent = agents.get(device)
      if (!agent?.alive) return
      agent.alive = false
      tell({ type: 'deviceLost', device, respawning: respawn, message: `Agent of ${device} was killed.` })
      if (respawn)
        later(() => {
          agents.set(device, newAgent())
          tell({ type: 'deviceUp', device, message: `Agent of ${device} is back.` })
        })
    },
    ports: {
      now: () => 0,
      onEdge: (handler) => {
        handlers.add(handler)
        return () => handlers.delete(handler)
      },
      runCloud: (work, emit) =>
        new Promise((resolve, reject) => {
          working.add(work.key)
          const timing = { worker: 'w', startedAt: 0, endedAt: 0, bytesIn: 0, bytesOut: 0 }
          const breakdown = { network: 0, management: 0, dataExchange: 0, execution: 1 }
          later(() => {
            working.delete(work.key)
            try {
              const items = behaviour(work.key, work.attempt)
              for (let index = 0; index < items; index += 1)
                emit(index, lineageOf(work.key, index, work.inputs))
              swarm.ran.push(work.key)
              resolve({ ...timing, breakdown, items })
            } catch (error) {
              reject(error)
            }
          })
        }),
      dispatchEdge: async (work, name) => {
        const agent = agents.get(name)
        if (!agent?.alive) throw new WorkFailure('lost', `${name} is away.`)
        accept(agent, work)
      },
    },
  }

  interface Agent {
    alive: boolean
    joins: Map<string, Join>
    shapes: Map<string, Shape>
  }
  function newAgent(): Agent {
    return { alive: true, joins: new Map(), shapes: new Map() }
  }

  interface Entry {
    count: number
    attempt: number
    close(): void
  }

  function accept(agent: Agent, work: Work): void {
    const entry: Entry = {
      count: 1,
      attempt: work.attempt,
      close: () => {
        entry.count -= 1
        if (entry.count === 0 && agent.alive) tell({ type: 'entryDone', key: work.key, epoch: work.epoch })
      },
    }
    const target = topology.task(work.key.task)
    const outside = topology.outsideParents(target)
    if (outside.length === target.parents.length) invoke(agent, entry, work.key, work.inputs, work.shape)
    else {
      const join = joinOf(agent, target, work.key.device, entry)
      join.offer('outside', work.key.seq, work.inputs)
      if (work.shape) join.setShape('outside', work.shape)
      release(agent, entry, target, work.key.device)
    }
    entry.close()
  }

  function joinOf(agent: Agent, target: PlanTask, device: string, { attempt }: Entry): Join {
    const id = `${target.name} ${device} ${attempt}`
    const wired = target.parents.filter((parent) => topology.wired(parent, target.name))
    const made = agent.joins.get(id)
    if (made) return made
    const join = new Join(wired.length < target.parents.length ? [...wired, 'outside'] : wired)
    agent.joins.set(id, join)
    return join
  }

  function release(agent: Agent, entry: Entry, target: PlanTask, device: string): void {
    const join = joinOf(agent, target, device, entry)
    for (const { seq, parts } of join.take()) {
      const { outside, ...wired } = parts
      const inputs = { ...(outside as Record<string, unknown> | undefined) }
      for (const [parent, value] of Object.entries(wired)) inputs[`${parent}Out`] = value
      invoke(agent, entry, { task: target.name, device, seq }, inputs, join.shape)
    }
    if (join.shape) settle(agent, entry, target, device, join.shape)
  }

  function settle(agent: Agent, entry: Entry, from: PlanTask, device: string, input: Shape): void {
    const id = `${from.name} ${device} ${entry.attempt}`
    if (agent.shapes.has(id)) return
    const items = agent.shapes.has(`${id} items`) ? agent.shapes.get(`${id} items`) : undefined
    const shape = input === 'stream' ? 'stream' : items
    if (!shape) return
    agent.shapes.set(id, shape)
    for (const child of from.children)
      if (topology.wired(from.name, child)) {
        const join = joinOf(agent, topology.task(child), device, entry)
        join.setShape(from.name, shape)
        release(agent, entry, topology.task(child), device)
      }
  }

  function invoke(
    agent: Agent,
    entry: Entry,
    key: InvocationKey,
    inputs: Record<string, unknown>,
    shape: Shape | undefined,
  ): void {
    entry.count += 1
    working.add(key)
    const target = topology.task(key.task)
    later(() => {
      working.delete(key)
      if (!agent.alive) return
      try {
        const items = behaviour(key, 1)
        for (let index = 0; index < items; index += 1) {
          const seq = key.seq + index
          const value = lineageOf(key, index, inputs)
          tell({ type: 'output', key: { ...key, seq }, value })
          for (const child of target.children)
            if (topology.wired(key.task, child) && topology.runsOn(child, key.device)) {
              joinOf(agent, topology.task(child), key.device, entry).offer(key.task, seq, value)
              release(agent, entry, topology.task(child), key.device)
            }
        }
        swarm.ran.push(key)
        tell({ type: 'taskDone', key, items })
        if (key.seq === 0)
          agent.shapes.set(
            `${key.task} ${key.device} ${entry.attempt} items`,
            items === 1 ? 'object' : 'stream',
          )
        const known = shape ?? joinOf(agent, target, key.device, entry).shape
        if (known) settle(agent, entry, target, key.device, known)
      } catch (error) {
        const { kind, message, detail } = error as WorkFailure
        tell({ type: 'taskFailed', key, kind, message, detail })
      }
      entry.close()
    })
  }

  return swarm
}

/** What a task returns: where it comes from, so that a test can see every value's lineage. */
export function lineageOf(key: InvocationKey, index: number, inputs: Record<string, unknown>): unknown {
  return { by: key.task, device: key.device, seq: key.seq + index, of: inputs }
}
