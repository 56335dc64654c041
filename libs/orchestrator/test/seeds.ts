/** From a seed to a case: a plan, devices, what its tasks emit, and the faults of its world. */
import type { Plan } from '@hivemind/synthesis'
import type { Behaviour } from './oracle.ts'
import { pick, type RandomPlanOptions, type Rng, randomPlan, rng } from './random-plan.ts'
import { CALM, type Faults, runWorld, type WorldOptions, type WorldResult } from './world.ts'

export const MAX_ITEMS = 5

export interface Case {
  seed: number
  plan: Plan
  devices: string[]
  behaviour: Behaviour
  faults: Faults
}

/** Roots emit a few items, tasks below one or sometimes none; the same key always the same. */
const behaviourOf =
  (seed: number): Behaviour =>
  (task, device, seq) => {
    const random = rng(seed * 7919 + hash(`${task} ${device} ${seq}`))
    const few = task === 't0' || seq > 0
    if (random() < (few ? 0.1 : 0.05)) return 0
    return 1 + Math.floor(random() * (few ? 5 : 4))
  }

function hash(text: string): number {
  let sum = 17
  for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0
  return sum
}

/** Any mixture of faults, each left out now and then. */
export function stormOf(random: Rng): Faults {
  const some = (most: number): number => (random() < 0.5 ? random() * most : 0)
  return {
    loss: some(0.3),
    repeat: some(0.3),
    lateMs: some(40),
    kill: some(0.25),
    returns: random() < 0.5 ? 1 : random(),
    cut: some(0.25),
    suspect: random() < 0.3 ? 0.5 : 0,
    crash: some(0.1),
    throws: random() < 0.2 ? 0.02 : 0,
    ...(random() < 0.05 && { cancelAt: random() * 150 }),
  }
}

export function calmCase(seed: number, options: RandomPlanOptions): Case {
  return caseOf(seed, options, () => ({ ...CALM, lateMs: 3 }))
}

export function stormCase(seed: number, options: RandomPlanOptions): Case {
  const restore = ['respawn', 'checkpoint', 'repartition', 'ignore'] as const
  const mixed = seed % 2 === 0
  const own = rng(seed + 5)
  return caseOf(seed, { restore: mixed ? restore : [pick(own, restore)], ...options }, stormOf)
}

/**
 * A storm in which the service, too, is killed and started again, up to three times; in every third case its journal may
 * lose its last events. Every tenth has up to 50 devices.
 */
export function worldCase(seed: number): Case {
  const random = rng(seed + 11)
  const isWide = seed % 10 === 0
  const storm = stormCase(seed, { maxTasks: 12 })
  const count = 5 + Math.floor(random() * 46)
  const devices = isWide ? Array.from({ length: count }, (_, index) => `d${index + 1}`) : storm.devices
  // As many losses in the whole swarm as among four devices.
  const share = isWide ? 4 / count : 1
  const { kill, cut } = storm.faults
  const restarts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    at: random() ** 2 * 800,
    downMs: 5 + random() * 200,
  }))
  const faults = {
    ...storm.faults,
    kill: kill * share,
    cut: cut * share,
    restarts,
    losesTail: seed % 3 === 0,
  }
  return { ...storm, devices, faults }
}

function caseOf(seed: number, options: RandomPlanOptions, faultsOf: (random: Rng) => Faults): Case {
  const random = rng(seed)
  const plan = randomPlan(random, options)
  const devices = ['d1', 'd2', 'd3', 'd4'].slice(0, 1 + Math.floor(random() * 4))
  return { seed, plan, devices, behaviour: behaviourOf(seed), faults: faultsOf(random) }
}

export const runCase = (
  { seed, plan, devices, behaviour, faults }: Case,
  options: WorldOptions = {},
): Promise<WorldResult> =>
  runWorld(plan, devices, behaviour, rng(seed + 1), faults, { maxItems: MAX_ITEMS, ...options })

/** The plan in a few lines, for the message about a failing seed. */
export const planText = ({ tasks }: Plan): string =>
  tasks
    .map(
      ({ name, parents, scope, tier, kindIn, kindOut, restore, stateKey, serialAfter, overlaps, barrier }) =>
        `  ${name} <- [${parents}] ${tier} ${scope} ${kindIn}>${kindOut} ${restore}${stateKey ? ' state' : ''}${serialAfter ? ` after ${serialAfter.map(({ task, scope }) => `${task}/${scope}`)}` : ''}${overlaps ? ` overlaps ${overlaps}` : ''}${barrier ? ` barrier ${barrier.kind}` : ''}`,
    )
    .join('\n')
