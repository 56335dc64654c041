/**
 * One measured process of the bench `run-core`: a chain of five tasks that do nothing, through the run core or through a
 * graph of bits by hand. Arguments: `core` or `by-hand`, devices, items. Prints one line of JSON.
 */
import type { CoreEffect, CoreEvent } from '@hivemind/orchestrator'
import { compileForService, newRunState, step } from '@hivemind/orchestrator'
import type { Plan, PlanTask } from '@hivemind/synthesis'

const CHAIN = 5

type Dispatch = Extract<CoreEffect, { type: 'dispatch' }>
type RunState = ReturnType<typeof newRunState>

/** A chain of cloud tasks: the first emits a stream on every device, the others take item by item. */
function chainPlan(): Plan {
  const tasks = Array.from({ length: CHAIN }, (_, index): PlanTask => {
    const first = index === 0
    return {
      name: `t${index}`,
      tier: 'cloud',
      runtime: 'nfu',
      code: 'nfu:forward',
      args: {},
      dataIn: first ? [] : [`t${index - 1}Out`],
      dataOut: `t${index}Out`,
      parents: first ? [] : [`t${index - 1}`],
      children: index === CHAIN - 1 ? [] : [`t${index + 1}`],
      scope: 'device',
      kindIn: first ? 'object' : 'stream',
      kindOut: 'stream',
      serialWith: [],
      isolate: false,
      restore: 'respawn',
      persist: false,
      priority: 0,
      timeoutMs: 1_000,
      memoryMB: 1,
      bundle: null,
    }
  })
  return {
    schema: 'hivemind.plan/1',
    workflow: 'chain',
    placement: {},
    tasks,
    links: tasks.slice(1).map(({ name, parents, dataIn }) => ({
      from: parents[0] as string,
      to: name,
      data: dataIn,
      transport: 'cloudevents' as const,
    })),
    inputs: [],
    sinks: [`t${CHAIN - 1}`],
    names: { tasks: {}, data: {} },
  }
}

/** Carries out what the core asks for; a task that does nothing has ended as soon as it has begun. */
class Driver {
  readonly state: RunState
  readonly effects: CoreEffect[] = []
  /** Invocations of the first task, which emit for as long as the run goes on. */
  readonly sources: { device: number; delivery: number }[] = []
  ended = 0
  over = false

  constructor(state: RunState) {
    this.state = state
  }

  tell(event: CoreEvent): void {
    step(this.state, event, this.effects)
    for (const effect of this.effects) {
      if (effect.type === 'ended') this.ended += 1
      else if (effect.type === 'end') this.over = true
      else if (effect.type === 'dispatch') this.invoke(effect)
    }
    this.effects.length = 0
  }

  /** What follows is appended to the effects that are being carried out. */
  invoke({ task, device, seq, delivery }: Dispatch): void {
    if (task === 0) {
      this.sources.push({ device, delivery })
      return
    }
    step(this.state, { type: 'item', at: 1, task, device, seq, delivery, ref: REF }, this.effects)
    step(this.state, { type: 'done', at: 2, task, device, seq, delivery, items: 1 }, this.effects)
  }
}

const REF = { kind: 'inline', type: 'application/cbor', bytes: new Uint8Array(1) } as const

/** Runs `items` items on each of `devices` devices to the end; returns the invocations that ended. */
function throughTheCore(devices: number, items: number): number {
  const names = Array.from({ length: devices }, (_, index) => ({ name: `device-${index}`, class: 'drone' }))
  const driver = new Driver(newRunState(compileForService(chainPlan(), names), { itemsPerDevice: items }))
  driver.tell({ type: 'start', at: 0 })
  for (let seq = 0; seq < items; seq++)
    for (const { device, delivery } of driver.sources)
      driver.tell({ type: 'item', at: 1, task: 0, device, seq, delivery, ref: REF })
  for (const { device, delivery } of driver.sources)
    driver.tell({ type: 'done', at: 2, task: 0, device, seq: 0, delivery, items })
  if (!driver.over) throw new Error('The run did not end.')
  return driver.ended
}

/** The same by hand: a byte of bits for each item in flight, one for each task that has ended, and nothing else. */
function byHand(devices: number, items: number): number {
  const done = new Uint8Array(devices)
  const needs = Uint8Array.from({ length: CHAIN }, (_, task) => (1 << task) - 1)
  const queue: number[] = []
  let ended = 0
  for (let seq = 0; seq < items; seq++)
    for (let device = 0; device < devices; device++) {
      done[device] = 1
      queue.push(device * CHAIN + 1)
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const task = next % CHAIN
        const bits = done[device] as number
        if (bits !== needs[task]) throw new Error('A task ran before its parent.')
        done[device] = bits | (1 << task)
        ended += 1
        if (task + 1 < CHAIN) queue.push(next + 1)
      }
    }
  return ended
}

const [what, devices, items] = process.argv.slice(2)
const run = what === 'by-hand' ? byHand : throughTheCore
run(Number(devices), Math.ceil(Number(items) / 10))
const before = process.cpuUsage()
const tasks = run(Number(devices), Number(items))
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ cpuS: (user + system) / 1e6, tasks }))
