/**
 * The world in a seed: a service, its devices, the network between them and their task code in one process, under a
 * virtual clock. The run, the part on each device and the sessions are the real code; only time, wires and work are made up.
 */
import { type Down, type Frame, Session, type Up } from '@hivemind/agent-protocol'
import type { Plan } from '@hivemind/synthesis'
import type { ValueRef } from '@hivemind/values'
import type { CoreEvent } from '../src/core/events.ts'
import type { DeviceWork, TaskInputRef } from '../src/device/ports.ts'
import { DeviceRuntime } from '../src/device/runtime.ts'
import type { CloudWork, FleetEvent, RunOutcome, ServicePorts } from '../src/service/ports.ts'
import { WorkFailure } from '../src/service/ports.ts'
import { executeRun } from '../src/service/run.ts'
import type { RunEvent, RunOutput } from '../src/types.ts'
import { type Behaviour, valueBy } from './oracle.ts'
import type { Rng } from './random-plan.ts'

export interface Faults {
  /** Chances, per frame, that it is lost or comes twice; and how late it may come, in ms. */
  loss: number
  repeat: number
  lateMs: number
  /** Chances, per turn of a fault clock of 50 ms, that an agent is killed, comes back for sure, or its connection breaks. */
  kill: number
  returns: number
  cut: number
  /** Chance, per invocation, that task code crashes or throws. */
  crash: number
  throws: number
  /** Virtual time at which the run is cancelled. */
  cancelAt?: number
}

export const CALM: Faults = {
  loss: 0,
  repeat: 0,
  lateMs: 0,
  kill: 0,
  returns: 1,
  cut: 0,
  crash: 0,
  throws: 0,
}

export interface WorldResult {
  outcome: RunOutcome
  outputs: RunOutput[]
  events: RunEvent[]
  journal: CoreEvent[]
  /** Invocations in the order in which task code began and ended, over all devices and the cloud. */
  work: {
    key: string
    task: string
    device: string
    seq: number
    phase: 'begin' | 'end' | 'failed'
    inputs: string[]
    where: string
  }[]
  /** Virtual ms. */
  endedAt: number
  /** Nothing was left to do, and the run had not ended. */
  hung: boolean
}

/** Events by virtual time. */
class Clock {
  now = 0
  #order = 0
  readonly #heap: { at: number; order: number; action: () => void; off: boolean }[] = []

  after(ms: number, action: () => void): () => void {
    const entry = { at: this.now + Math.max(0, ms), order: this.#order++, action, off: false }
    this.#heap.push(entry)
    this.#heap.sort((a, b) => b.at - a.at || b.order - a.order)
    return () => {
      entry.off = true
    }
  }

  /** Takes the next entry; false when there is none. */
  turn(): boolean {
    for (let next = this.#heap.pop(); next; next = this.#heap.pop()) {
      if (next.off) continue
      this.now = next.at
      next.action()
      return true
    }
    return false
  }
}

const ref = (text: string): ValueRef => ({
  kind: 'inline',
  type: 'text/plain',
  bytes: new TextEncoder().encode(text),
})
const textOf = (value: ValueRef | null): string =>
  value?.kind === 'inline' ? new TextDecoder().decode(value.bytes) : 'nothing'

function describeInputs(inputs: Record<string, TaskInputRef>): [string, string][] {
  return Object.entries(inputs).map(([data, input]) => {
    const name = data.replace(/Out$/, '')
    if (input.kind === 'none') return [name, 'nothing']
    if (input.kind === 'one') return [name, textOf(input.ref)]
    return [
      name,
      `[${input.items
        .map((item) => `${item.device}/${item.seq}/${textOf(item.ref)}`)
        .sort()
        .join(',')}]`,
    ]
  })
}

/** Runs a plan once in a world made of a seed. */
export async function runWorld(
  plan: Plan,
  devices: readonly string[],
  behaviour: Behaviour,
  random: Rng,
  faults: Faults,
  { maxItems = 5, slots = 2, limitMs = 600_000 } = {},
): Promise<WorldResult> {
  const clock = new Clock()
  const work: WorldResult['work'] = []
  const events: RunEvent[] = []
  const outputs: RunOutput[] = []
  const journal: CoreEvent[] = []
  const fleet = new Set<(event: FleetEvent) => void>()
  let over = false

  /** Task code: takes a while, emits what the behaviour says, now and then fails. */
  async function perform(
    {
      task,
      seq,
      inputs,
      firstItem,
      maxItems: most,
    }: Pick<DeviceWork, 'task' | 'seq' | 'inputs' | 'firstItem' | 'maxItems'>,
    device: string,
    where: string,
    emit: (text: string, index: number) => Promise<void> | void,
    isGone: () => boolean,
  ): Promise<number> {
    const key = `${task.name} ${device} ${seq}`
    const read = describeInputs(inputs)
    const note = (phase: 'begin' | 'end' | 'failed') =>
      work.push({ key, task: task.name, device, seq, phase, inputs: read.map(([, value]) => value), where })
    const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve))
    note('begin')
    await wait(random() * 20)
    if (random() < faults.crash) {
      note('failed')
      throw new WorkFailure('crash', 'Boom.')
    }
    if (random() < faults.throws) {
      note('failed')
      throw new WorkFailure('exception', 'No.')
    }
    const whole = behaviour(task.name, device, seq)
    const perItem = task.kindIn === 'stream'
    const limit = perItem || task.kindOut === 'object' ? 1 : Math.min(most, Math.max(0, whole - firstItem))
    const count = perItem || task.kindOut === 'object' ? Math.min(1, whole) : limit
    for (let index = 0; index < count; index++) {
      if (isGone()) return index
      await emit(valueBy(task.name, device, perItem ? seq : firstItem + index, read), index)
      if (index + 1 < count) await wait(random() * 5)
    }
    note('end')
    return count
  }

  // --- devices -----------------------------------------------------------------------------------------------------
  interface Agent {
    runtime: DeviceRuntime
    session: Session<Up>
    boot: number
  }
  const agents = new Map<string, Agent | null>()
  const service = new Map<string, Session<Down>>()
  const connected = new Map<string, boolean>()
  const boots = new Map<string, number>()

  function bootAgent(device: string): void {
    const boot = (boots.get(device) ?? 0) + 1
    boots.set(device, boot)
    let alive = true
    const runtime: DeviceRuntime = new DeviceRuntime(
      plan,
      { device, slots },
      {
        now: () => clock.now,
        after: (ms, action) => clock.after(ms, () => alive && action()),
        send: (message) => session.send(message).catch(() => {}),
        execute: async (job, onItem, _log, signal) => {
          const gone = () => !alive || (signal as { off: boolean }).off
          const items = await perform(
            job,
            job.lane,
            device,
            (text, index) => {
              const value = ref(text) as Extract<ValueRef, { kind: 'inline' }>
              return onItem({ value }, index)
            },
            gone,
          )
          if (gone()) await new Promise(() => {})
          return { items, executionMs: 1, waitedMs: 0, callMs: 0, bytesIn: 0 }
        },
        share: async (value) => ({ kind: 'inline', ...value }),
        pass: (task, item) => {
          const children = plan.links.filter(({ from, transport }) => from === task && transport === 'wire')
          for (const { to } of children) clock.after(random() * 2, () => alive && runtime.arrived(to, item))
        },
        abortable: () => {
          const signal = { off: false }
          return {
            signal,
            abort: () => {
              signal.off = true
            },
          }
        },
      },
    )
    const session: Session<Up> = new Session<Up>({
      boot: `${device}#${boot}`,
      deliver: (message) => {
        if (alive) runtime.handle(message as unknown as Down)
      },
      wake: () => clock.after(0, () => alive && flush(device)),
      resendMs: 200,
    }) as Session<Up>
    const agent: Agent = { runtime, session, boot }
    agents.set(device, agent)
    const tick = () => {
      if (!alive || over) return
      session.tick(clock.now)
      flush(device)
      clock.after(100, tick)
    }
    clock.after(100, tick)
    kills.set(device, () => {
      alive = false
      runtime.stop()
      session.close()
      agents.set(device, null)
    })
    connect(device)
  }
  const kills = new Map<string, () => void>()

  function connect(device: string): void {
    connected.set(device, true)
    service.get(device)?.connected()
    agents.get(device)?.session.connected()
    clock.after(0, () => flush(device))
    clock.after(0, () => flushService(device))
  }

  function cut(device: string): void {
    connected.set(device, false)
    service.get(device)?.disconnected()
    agents.get(device)?.session.disconnected()
  }

  function carry(device: string, deliver: () => void): void {
    if (!connected.get(device)) return
    const times = random() < faults.loss ? 0 : random() < faults.repeat ? 2 : 1
    for (let time = 0; time < times; time++) clock.after(1 + random() * faults.lateMs, deliver)
  }

  function flush(device: string): void {
    const agent = agents.get(device)
    if (!agent || !connected.get(device)) return
    for (const frame of agent.session.frames())
      carry(device, () => service.get(device)?.receive(frame as unknown as Frame<Down>))
  }

  function flushService(device: string): void {
    if (!connected.get(device)) return
    const { boot } = agents.get(device) ?? { boot: 0 }
    for (const frame of service.get(device)?.frames() ?? [])
      carry(device, () => {
        const agent = agents.get(device)
        if (agent?.boot === boot) agent.session.receive(frame as unknown as Frame<Up>)
      })
  }

  const tell = (event: FleetEvent): void => {
    for (const handler of [...fleet]) handler(event)
  }
  for (const device of devices) {
    service.set(
      device,
      new Session<Down>({
        boot: 'service#1',
        deliver: (message) => tell({ type: 'message', device, message: message as unknown as Up }),
        wake: () => clock.after(0, () => flushService(device)),
        resendMs: 200,
      }),
    )
    bootAgent(device)
    const tick = () => {
      if (over) return
      service.get(device)?.tick(clock.now)
      flushService(device)
      clock.after(100, tick)
    }
    clock.after(100, tick)
  }

  // --- faults ------------------------------------------------------------------------------------------------------
  const storm = () => {
    if (over) return
    for (const device of devices) {
      if (agents.get(device) && random() < faults.kill) {
        const returns = random() < faults.returns
        kills.get(device)?.()
        cut(device)
        const message = `Agent of ${device} was killed.`
        clock.after(10 + random() * 50, () => {
          tell({ type: 'lost', device, returns, message })
          if (returns)
            clock.after(20 + random() * 100, () => {
              bootAgent(device)
              clock.after(5, () => tell({ type: 'up', device, message: `Agent of ${device} is back.` }))
            })
        })
      } else if (agents.get(device) && connected.get(device) && random() < faults.cut) {
        cut(device)
        clock.after(random() * 300, () => agents.get(device) && connect(device))
      }
    }
    clock.after(50, storm)
  }
  if (faults.kill > 0 || faults.cut > 0) clock.after(50, storm)

  // --- the service -------------------------------------------------------------------------------------------------
  const ports: ServicePorts = {
    now: () => clock.now,
    after: (ms, action) => clock.after(ms, action),
    invoke: async (job: CloudWork, onItem, signal) => {
      const from = clock.now
      const items = await perform(
        job,
        job.device,
        'cloud',
        (text, index) => onItem({ ref: ref(text) }, index),
        () => signal.aborted,
      )
      return {
        worker: 'w',
        startedAt: from,
        endedAt: clock.now,
        breakdown: { network: 0, management: 0, dataExchange: 0, execution: clock.now - from },
        bytesIn: 0,
        bytesOut: 0,
        items,
      }
    },
    send: (device, message) => {
      service
        .get(device)
        ?.send(message)
        .catch(() => {})
    },
    onFleet: (handler) => {
      fleet.add(handler)
      for (const device of devices)
        if (!agents.get(device))
          handler({ type: 'lost', device, returns: true, message: `Agent of ${device} is away.` })
      return () => fleet.delete(handler)
    },
    toServiceTime: (_, ms) => ms,
    preview: (value) => textOf(value),
    newAbort: () => {
      const controller = new AbortController()
      return { signal: controller.signal, abort: () => controller.abort() }
    },
  }
  const cancel = new AbortController()
  if (faults.cancelAt !== undefined) clock.after(faults.cancelAt, () => cancel.abort())
  let outcome: RunOutcome | undefined
  const run = executeRun(plan, ports, {
    run: 'r',
    deployment: 'd',
    devices: devices.map((name) => ({ name, class: 'drone' })),
    itemsPerDevice: maxItems,
    cloudSlots: 1 + Math.floor(random() * 4),
    signal: cancel.signal,
    onEvent: (event) => {
      events.push(event)
      if (event.type === 'output') outputs.push(event.output)
    },
    journal: (event) => journal.push(event),
  }).then((end) => {
    outcome = end
    over = true
  })
  // Promises settle between two entries of the clock.
  while (!outcome && clock.now < limitMs) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (!outcome && !clock.turn()) break
  }
  if (outcome) await run
  over = true
  for (const stop of kills.values()) stop()
  return {
    outcome: outcome ?? { state: 'failed', message: 'hung', startedAt: 0, endedAt: clock.now, losses: [] },
    outputs,
    events,
    journal,
    work,
    endedAt: clock.now,
    hung: !outcome,
  }
}
