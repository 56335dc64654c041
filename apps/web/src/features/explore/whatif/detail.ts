/** Simulations told in full: the whole distribution of latency of single candidates, and their run over time. */
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

/** Items of sensor data simulated for one candidate at most. */
const ITEMS_MOST = 40_000

/** Quantiles of latency whose items are followed. */
export const TRACED = [0.5, 0.99, 1] as const

export interface Distribution {
  id: string
  /** Latency in ms at 0, 1, ... 100 % of the items. */
  quantilesMs: number[]
  /** Where the time goes for items around the median, and for the slowest hundredth. */
  atMedian: Breakdown
  atTail: Breakdown
  series: Series
  /** The way of the items at `TRACED`; none where no item was finished. */
  traces: ItemTrace[]
  /** From the start of the run to its end. */
  endMs: number
  /** Share of the mission that was completed, and devices that stopped because their battery was empty. */
  completed: number
  stopped: number
  /** Items of each sensor and device that were simulated, and that a run has. */
  items: { simulated: number; all: number }
}

/**
 * One run of a placement under the scenario's seed; a very long one is cut to its first items. With `batteries` a device
 * stops when its battery is empty.
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
  const simulated = Math.max(1, Math.min(all, Math.floor(ITEMS_MOST / Math.max(1, lanes))))
  const run = simulated < all ? withItems(model, simulated) : model
  const options = { seed: scenario.seed, ...(batteries ? { conditions: { batteries } } : {}) }
  const { quantilesMs, atMedian, atTail, series, estimate, completed, outages } = simulateInDetail(run, {
    ...options,
    series: true,
  })
  if (!series) throw new Error('The simulation told nothing of the run over time.')
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
