/** Queues as models, and what they are held against. */
import type { Distribution } from '@hivemind/swarm'
import { buildModel } from '../src/model/build.ts'
import type { Model } from '../src/model/model.ts'
import { plainFleet, profileOf, tier, workflowOf } from './workflows.ts'

/** Exponential with mean 1: its quantiles, and a last one that gives the mean of the last piece. */
const exponential: Distribution = (() => {
  const points = 2000
  const quantiles = Array.from({ length: points + 1 }, (_, i) => -Math.log(1 - i / points))
  quantiles[points] = 2 * (Math.log(points) + 1) - Math.log(points)
  return { mean: 1, quantiles, samples: 0 }
})()

export const scaledBy = (factor: number): Distribution => ({
  ...exponential,
  mean: factor,
  quantiles: exponential.quantiles.map((value) => value * factor),
})

/** One sensor per device and one task that it feeds. */
export function queue(
  placement: 'edge' | 'cloud',
  service: Distribution | number,
  given: Parameters<typeof plainFleet>[1] & {
    devices?: number
    bytes?: number
    items?: number
    gap: Distribution
  },
): Model {
  const workflow = workflowOf({
    sense: {},
    work: { reads: ['senseOut'], parents: ['sense'], writes: null },
  })
  const model = buildModel({
    workflow,
    placement: { sense: 'edge', work: placement },
    fleet: plainFleet(given.devices ?? 1, given),
    profile: profileOf({ sense: tier(0, given.bytes ?? 0), work: tier(service) }),
    itemsPerDevice: given.items ?? 100_000,
  })
  return { ...model, tasks: model.tasks.map((task) => (task.gap ? { ...task, gap: given.gap } : task)) }
}

/** How far off a value is, relative to what is expected. */
export const off = (value: number, expected: number) => Math.abs(value / expected - 1)
