/**
 * The world in a seed: a service, its devices, the network between them and their task code in one process, under a
 * virtual clock. The run, the part on each device and the sessions are the real code; only time, wires and work are made up.
 */
import type { Down, Frame } from '@hivemind/agent-protocol'
import type { Plan } from '@hivemind/synthesis'
import type { CoreEvent } from '../src/core/events.ts'
import type { CoreOptions } from '../src/core/state.ts'
import type { RunOutcome, ServicePorts } from '../src/service/ports.ts'
import type { RunEvent, RunOutput } from '../src/types.ts'
import type { Behaviour } from './oracle.ts'
import type { Rng } from './random-plan.ts'
import { Clock } from './world/clock.ts'
import { Fleet, type NetworkFaults } from './world/fleet.ts'
import { eventOf, Service } from './world/service.ts'
import { Work, type WorkNote } from './world/work.ts'

export interface Faults extends NetworkFaults {
  /** Chance, per invocation, that task code crashes or throws. */
  crash: number
  throws: number
  /** Virtual time at which the run is cancelled, in ms. */
  cancelAt?: number
  /** When the service is killed, and for how long it is away, in virtual ms. */
  restarts?: { at: number; downMs: number }[]
  /** A kill of the service may cost the last events of its journal. */
  losesTail?: boolean
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
  devices: readonly string[]
  outcome: RunOutcome
  outputs: RunOutput[]
  /** What the last service reported: all of the run but its spans. */
  events: RunEvent[]
  journal: CoreEvent[]
  /** Outputs that services reported before they were killed, as far as their journals were whole. */
  outputsBefore: RunOutput[]
  /** Times the service was started again, and whether its journal lost its last events. */
  restarts: number
  lostTail: boolean
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
  const service = new Service({
    ...{ plan, clock, fleet, work, wrap },
    options: {
      run: 'r',
      deployment: 'd',
      devices: devices.map((name) => ({ name, class: 'drone' })),
      itemsPerDevice: maxItems,
      cloudSlots,
      // In every other case devices are held back soon.
      ...(plan.tasks.length % 2 === 1 && { maxWaiting: 2 }),
    },
    losesTail: faults.losesTail === true,
  })
  if (faults.cancelAt !== undefined) clock.after(faults.cancelAt, () => service.cancel())
  for (const { at, downMs } of faults.restarts ?? []) clock.after(at, () => service.kill(downMs))
  service.start()
  // Promises settle between two entries of the clock.
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  await settled()
  while (!service.outcome && clock.now < limitMs && clock.turn()) await settled()
  fleet.stop()
  const { outcome, events, journal } = service
  return {
    devices,
    outcome: outcome ?? { state: 'failed', message: 'hung', startedAt: 0, endedAt: clock.now, losses: [] },
    outputs: events.flatMap((event) => (event.type === 'output' ? [event.output] : [])),
    events,
    journal: journal.map(eventOf),
    outputsBefore: service.outputsBefore,
    restarts: service.lives - 1,
    lostTail: service.lostTail,
    work: work.notes,
    endedAt: clock.now,
    hung: !outcome,
    core: { slots: cloudSlots, itemsPerDevice: maxItems },
    suspected: fleet.suspected,
  }
}
