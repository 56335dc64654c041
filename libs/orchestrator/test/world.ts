/**
 * The world in a seed: a service, its devices, the network between them and their task code in one process, under a
 * virtual clock. The run, the part on each device and the sessions are the real code; only time, wires and work are made up.
 */
import type { Down, Frame } from '@hivemind/agent-protocol'
import type { Plan } from '@hivemind/synthesis'
import type { CoreEvent } from '../src/core/events.ts'
import type { CoreOptions } from '../src/core/state.ts'
import type { RunOutcome, ServicePorts } from '../src/service/ports.ts'
import { executeRun } from '../src/service/run.ts'
import type { RunEvent, RunOutput } from '../src/types.ts'
import type { Behaviour } from './oracle.ts'
import type { Rng } from './random-plan.ts'
import { Clock } from './world/clock.ts'
import { Fleet, type NetworkFaults } from './world/fleet.ts'
import { textOf, Work, type WorkNote } from './world/work.ts'

export interface Faults extends NetworkFaults {
  /** Chance, per invocation, that task code crashes or throws. */
  crash: number
  throws: number
  /** Virtual time at which the run is cancelled, in ms. */
  cancelAt?: number
}

export const CALM: Faults = {
  ...{ loss: 0, repeat: 0, lateMs: 0 },
  ...{ kill: 0, returns: 1, cut: 0, suspect: 0 },
  ...{ crash: 0, throws: 0 },
}

export interface WorldOptions {
  /** Items that a sensor emits on each device at most. */
  maxItems?: number
  /** Cores of a device, and of the cloud. */
  slots?: number
  cloudSlots?: number
  /** Virtual ms after which a run counts as hung. */
  limitMs?: number
  /** Agents that are killed at a virtual time, in ms, and whether they come back. */
  kills?: { device: string; at: number; returns: boolean }[]
  /** A hand on the ports, to plant a fault. */
  wrap?: (ports: ServicePorts) => ServicePorts
  /** A hand on the frames that the service sends, likewise. */
  tamper?: (frame: Frame<Down>) => Frame<Down>
}

export interface WorldResult {
  outcome: RunOutcome
  outputs: RunOutput[]
  events: RunEvent[]
  journal: CoreEvent[]
  /** What task code did, over all devices and the cloud, in order. */
  work: WorkNote[]
  /** Virtual ms. */
  endedAt: number
  /** The run did not end. */
  hung: boolean
  /** What the run core was given beside the plan. */
  core: CoreOptions
  /** Some agent was taken for lost while it lived. */
  suspected: boolean
}

/** Runs a plan once in a world made of a seed. */
export async function runWorld(
  plan: Plan,
  devices: readonly string[],
  behaviour: Behaviour,
  random: Rng,
  faults: Faults,
  {
    maxItems = 5,
    slots = 2,
    cloudSlots = 1 + Math.floor(random() * 4),
    limitMs = 600_000,
    wrap = (ports) => ports,
    tamper,
    kills = [],
  }: WorldOptions = {},
): Promise<WorldResult> {
  const clock = new Clock()
  const work = new Work(clock, behaviour, random, faults)
  const fleet = new Fleet(devices, plan, clock, random, work, faults, { slots, ...(tamper && { tamper }) })
  for (const { device, at, returns } of kills) clock.after(at, () => fleet.kill(device, returns))
  const events: RunEvent[] = []
  const journal: CoreEvent[] = []
  const cancel = new AbortController()
  if (faults.cancelAt !== undefined) clock.after(faults.cancelAt, () => cancel.abort())
  let outcome: RunOutcome | undefined
  const run = executeRun(plan, wrap(portsOf(clock, fleet, work)), {
    run: 'r',
    deployment: 'd',
    devices: devices.map((name) => ({ name, class: 'drone' })),
    itemsPerDevice: maxItems,
    cloudSlots,
    signal: cancel.signal,
    onEvent: (event) => events.push(event),
    journal: (event) => journal.push(event),
  }).then((end) => {
    outcome = end
  })
  // Promises settle between two entries of the clock.
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  await settled()
  while (!outcome && clock.now < limitMs && clock.turn()) await settled()
  if (outcome) await run
  fleet.stop()
  return {
    outcome: outcome ?? { state: 'failed', message: 'hung', startedAt: 0, endedAt: clock.now, losses: [] },
    outputs: events.flatMap((event) => (event.type === 'output' ? [event.output] : [])),
    events,
    journal,
    work: work.notes,
    endedAt: clock.now,
    hung: !outcome,
    core: { slots: cloudSlots, itemsPerDevice: maxItems },
    suspected: fleet.suspected,
  }
}

function portsOf(clock: Clock, fleet: Fleet, work: Work): ServicePorts {
  return {
    now: () => clock.now,
    after: (ms, action) => clock.after(ms, action),
    invoke: async (job, onItem, signal) => {
      const from = clock.now
      const { items, state } = await Promise.race([
        work.perform(
          job,
          {
            device: job.device,
            where: 'cloud',
            onCall: (cut) => signal.addEventListener('abort', cut, { once: true }),
          },
          ({ value, state: saved }, index) =>
            onItem({ ref: { kind: 'inline', ...value }, ...(saved && { state: saved }) }, index),
        ),
        new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('Taken back.')), { once: true }),
        ),
      ])
      return {
        worker: 'w',
        startedAt: from,
        endedAt: clock.now,
        breakdown: { network: 0, management: 0, dataExchange: 0, execution: clock.now - from },
        bytesIn: 0,
        bytesOut: 0,
        items,
        ...(state && { state }),
      }
    },
    send: (device, message) => fleet.send(device, message),
    onFleet: (handler) => fleet.onFleet(handler),
    toServiceTime: (_, ms) => ms,
    preview: (value) => textOf(value),
    newAbort: () => {
      const controller = new AbortController()
      return { signal: controller.signal, abort: () => controller.abort() }
    },
  }
}
