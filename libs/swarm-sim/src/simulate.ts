/** Simulations of one run of a model. */
import type { Estimate } from '@hivemind/swarm'
import { Run } from './engine/run.ts'
import { type Detail, detailOf, estimateOf } from './figures/outcome.ts'
import type { ItemTrace } from './figures/trace.ts'
import type { Model } from './model/model.ts'
import type { DetailOptions, SimulationOptions } from './options.ts'
import { toEnd } from './steps.ts'

/**
 * Simulates one run, every item of it. The same model and seed give the same bytes on every platform.
 * @throws RangeError when a condition is out of its range
 */
export function simulate(model: Model, options: SimulationOptions): Estimate {
  return toEnd(simulateSteps(model, options))
}

/** The same in steps of a few milliseconds, so that the caller can let others work. */
export function* simulateSteps(model: Model, options: SimulationOptions): Generator<undefined, Estimate> {
  const run = new Run(model, options)
  return estimateOf(run.model, yield* run.run())
}

/** Simulates one run with what an estimate leaves out: the whole distribution of latency, and where the time goes at its ends. */
export function simulateInDetail(model: Model, options: DetailOptions): Detail {
  const run = new Run(model, options)
  return detailOf(run.model, toEnd(run.run()), run.aside())
}

/**
 * The way of the items that stand for quantiles (0 to 1) of latency, such as 0.5 and 0.99: one for each quantile, none when no
 * item is finished. The run is simulated twice, as a seed gives the same items again.
 * @throws RangeError as `simulate` does
 */
export function traceItems(
  model: Model,
  { quantiles, ...options }: SimulationOptions & { quantiles: readonly number[] },
): ItemTrace[] {
  const items = toEnd(new Run(model, options).run()).atQuantiles(quantiles)
  if (items.length === 0) return []
  const run = new Run(
    model,
    options,
    items.map(({ item }) => item),
  )
  toEnd(run.run())
  return items.map(({ item, capturedAtMs, latencyMs }, at) => ({
    quantile: quantiles[at] as number,
    device: run.tracer?.devices.get(item) ?? 1,
    capturedAtMs,
    latencyMs,
    spans: (run.tracer?.spans.get(item) ?? []).map((span) => ({
      ...span,
      fromMs: span.fromMs - capturedAtMs,
      toMs: span.toMs - capturedAtMs,
    })),
  }))
}
