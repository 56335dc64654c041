/** Detailed simulation of single candidates: latency distribution, traces of items, and the run over time. */
import type { Breakdown, Placement } from '@hivemind/swarm'
import {
  buildModel,
  type ItemTrace,
  type Series,
  simulateInDetail,
  traceItems,
  withItems,
} from '@hivemind/swarm-sim'
import type { Scenario } from './knobs.ts'

/** Most items, over all sensors and devices, that are simulated for one candidate. */
const MAX_ITEMS = 40_000

/** Quantiles of latency whose items are traced. */
export const TRACED = [0.5, 0.99, 1] as const

/** A simulated run of one candidate. */
export interface Distribution {
  id: string
  /** Latency percentiles 0, 1, ..., 100, in ms. */
  quantilesMs: number[]
  /** Mean breakdown of the latency of items around the median. */
  atMedian: Breakdown
  /** Mean breakdown of the latency of the slowest 1% of the items. */
  atTail: Breakdown
  series: Series
  /** Traces of the items at the quantiles `TRACED`; empty when no item was finished. */
  traces: ItemTrace[]
  /** Duration of the run. */
  endMs: number
  /** Share of the mission that was completed, from 0 to 1. */
  completed: number
  /** Number of devices that stopped with an empty battery. */
  stopped: number
  /** Items per sensor and device: those simulated, and all of the run. */
  items: { simulated: number; all: number }
}

/**
 * Simulates one run of a placement with the scenario's seed. Of a very long run only the first items are simulated. With
 * `batteries`, devices stop when their battery is empty.
 */
export function distributionOf(
  scenario: Scenario,
  id: string,
  placement: Placement,
  batteries = false,
): Distribution {
  const model = buildModel({ ...scenario, placement })
  const sensors = model.tasks.filter((task) => task.gap)
  const all = Math.max(1, ...sensors.map((task) => task.outputs))
  const lanes = sensors.reduce((sum, task) => sum + task.lanes.length, 0)
  const simulated = Math.max(1, Math.min(all, Math.floor(MAX_ITEMS / Math.max(1, lanes))))
  const run = simulated < all ? withItems(model, simulated) : model
  const options = { seed: scenario.seed, ...(batteries ? { conditions: { batteries } } : {}) }
  const { quantilesMs, atMedian, atTail, series, estimate, completed, outages } = simulateInDetail(run, {
    ...options,
    series: true,
  })
  if (!series) throw new Error('The simulation returned no series over time.')
  return {
    id,
    quantilesMs,
    atMedian,
    atTail,
    series,
    traces: traceItems(run, { ...options, quantiles: TRACED }),
    endMs: estimate.execTimeMs,
    completed,
    stopped: outages.filter(({ cause }) => cause === 'battery').length,
    items: { simulated, all },
  }
}
