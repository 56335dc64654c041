/** A simulation of bounded length, for runs too long to simulate in full. */
import type { Breakdown, Estimate } from '@hivemind/swarm'
import { estimateClosedForm } from './closed-form/closed-form.ts'
import { withItems } from './model/build.ts'
import { type Model, totalItems } from './model/model.ts'
import { simulateSteps } from './simulate.ts'

/**
 * Simulates the run in full when it has at most `maxItems` items of sensor data over all devices. A longer one is
 * simulated with fewer items per device, and every figure is then multiplied by what the closed form says of the full
 * run over what it says of the shorter one. Where nothing is saturated that factor is about 1 for latencies; where a
 * queue grows, it is how much further it grows. Quantiles are never scaled down: in a shorter run cold starts weigh more,
 * which the closed form's quantiles exaggerate. In steps of a few milliseconds, so that the caller can let others work.
 */
export function* simulateScaled(
  model: Model,
  options: { seed: number; maxItems: number },
): Generator<undefined, Estimate> {
  const items = totalItems(model)
  const longest = Math.max(1, ...model.tasks.map((task) => (task.gap ? task.outputs : 1)))
  const shorter = Math.max(1, Math.floor((longest * options.maxItems) / Math.max(1, items)))
  if (items <= options.maxItems || shorter >= longest) return yield* simulateSteps(model, options)
  const part = withItems(model, shorter)
  const simulated = yield* simulateSteps(part, options)
  const full = estimateClosedForm(model)
  const partial = estimateClosedForm(part)
  const scale = (value: number, of: (estimate: Estimate) => number) =>
    of(partial) > 0 ? (value * of(full)) / of(partial) : value
  const scaled = (of: (estimate: Estimate) => number) => scale(of(simulated), of)
  const quantiles = (p50: (estimate: Estimate) => number, p99: (estimate: Estimate) => number) => {
    const median = Math.max(scaled(p50), p50(simulated))
    return [median, Math.max(scaled(p99), p99(simulated), median)] as const
  }
  const breakdown = (of: (estimate: Estimate) => Breakdown): Breakdown => ({
    network: scaled((estimate) => of(estimate).network),
    management: scaled((estimate) => of(estimate).management),
    dataExchange: scaled((estimate) => of(estimate).dataExchange),
    execution: scaled((estimate) => of(estimate).execution),
  })
  type PerTask = Estimate['perTask'][string]
  const taskOf = (estimate: Estimate, name: string) => estimate.perTask[name] as PerTask
  const costPerRun = scaled((estimate) => estimate.costPerRun)
  const execTimeMs = scaled((estimate) => estimate.execTimeMs)
  const parts = breakdown((estimate) => estimate.breakdown)
  const [p50, p99] = quantiles(
    (estimate) => estimate.latencyMs.p50,
    (estimate) => estimate.latencyMs.p99,
  )
  return {
    latencyMs: { p50, p99, mean: parts.network + parts.management + parts.dataExchange + parts.execution },
    breakdown: parts,
    perTask: Object.fromEntries(
      model.tasks.map(({ name, tier }) => {
        const [p50Ms, p99Ms] = quantiles(
          (estimate) => taskOf(estimate, name).p50Ms,
          (estimate) => taskOf(estimate, name).p99Ms,
        )
        return [
          name,
          { p50Ms, p99Ms, breakdown: breakdown((estimate) => taskOf(estimate, name).breakdown), tier },
        ]
      }),
    ),
    execTimeMs,
    throughput: scaled((estimate) => estimate.throughput),
    energyJ: scaled((estimate) => estimate.energyJ),
    energyShare: scaled((estimate) => estimate.energyShare),
    maxEnergyJ: scaled((estimate) => estimate.maxEnergyJ ?? 0),
    maxEnergyShare: scaled((estimate) => estimate.maxEnergyShare ?? 0),
    bandwidthMBps: scaled((estimate) => estimate.bandwidthMBps),
    costPerRun,
    costPerHour: execTimeMs > 0 ? (costPerRun * 3600e3) / execTimeMs : 0,
    ...(simulated.edgeNodes && {
      edgeNodes: {
        busyShare: scaled((estimate) => estimate.edgeNodes?.busyShare ?? 0),
        energyJ: scaled((estimate) => estimate.edgeNodes?.energyJ ?? 0),
      },
    }),
    // the closed form knows no deadlines
    ...(simulated.missedDeadlines && { missedDeadlines: simulated.missedDeadlines }),
  }
}
