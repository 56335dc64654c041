/** Simulated and measured figures side by side, as in the paper's Fig. 18. */
import type { Estimate, Tier } from '@hivemind/swarm'
import type { Timings } from './timings.ts'

/** One figure, in ms, and how far the simulation is from the measurement, as a share of it. */
export interface Figure {
  simulatedMs: number
  measuredMs: number
  deviation: number
}

/** Latencies of one task, or from end to end, in ms. */
export interface ComparisonRow {
  /** A task, or `null` for the way of an item from end to end. */
  task: string | null
  tier: Tier | null
  /** Latencies measured in each run. */
  samples: number
  p50: Figure
  p99: Figure
}

/** The simulation of a placement beside its runs. */
export interface Comparison {
  rows: ComparisonRow[]
  /** From the start of a run to its end. */
  run: Figure
}

/**
 * Of each figure the median over the runs, against the median over the simulations. A task that never ran in some run
 * is left out.
 */
export function compare(estimates: readonly Estimate[], runs: readonly Timings[]): Comparison {
  const rows: ComparisonRow[] = []
  const add = (
    task: string | null,
    tier: Tier | null,
    simulated: readonly { p50: number; p99: number }[],
    measured: readonly number[][],
  ): void => {
    if (measured.length === 0 || measured.some((times) => times.length === 0)) return
    const sorted = measured.map((times) => [...times].sort((a, b) => a - b))
    const at = (of: 'p50' | 'p99', share: number): Figure =>
      figureOf(
        simulated.map((each) => each[of]),
        sorted.map((times) => quantile(times, share)),
      )
    const samples = Math.round(median(measured.map(({ length }) => length)))
    rows.push({ task, tier, samples, p50: at('p50', 0.5), p99: at('p99', 0.99) })
  }
  for (const [task, { tier }] of Object.entries(estimates[0]?.perTask ?? {})) {
    const simulated = estimates.flatMap(({ perTask }) => {
      const own = perTask[task]
      return own ? [{ p50: own.p50Ms, p99: own.p99Ms }] : []
    })
    add(
      task,
      tier,
      simulated,
      runs.map(({ tasks }) => tasks[task] ?? []),
    )
  }
  add(
    null,
    null,
    estimates.map(({ latencyMs }) => latencyMs),
    runs.map(({ endToEnd }) => endToEnd),
  )
  return {
    rows,
    run: figureOf(
      estimates.map(({ execTimeMs }) => execTimeMs),
      runs.map(({ runMs }) => runMs),
    ),
  }
}

/** How far two sets of runs of the same kind are apart, as shares: what of a deviation is left to chance. */
export interface Repetition {
  endToEndP50: number
  endToEndP99: number
  run: number
}

/** Of each figure the median over some runs against that over others; `NaN` where there is none. */
export function repetitionOf(runs: readonly Timings[], others: readonly Timings[]): Repetition {
  const off = (figure: (timings: Timings) => number): number =>
    figureOf(runs.map(figure), others.map(figure)).deviation
  const endToEnd = (share: number) => (timings: Timings) =>
    quantile(
      [...timings.endToEnd].sort((a, b) => a - b),
      share,
    )
  return { endToEndP50: off(endToEnd(0.5)), endToEndP99: off(endToEnd(0.99)), run: off(({ runMs }) => runMs) }
}

/** Means of the deviations' sizes, as shares; `NaN` where there is none. */
export interface Deviations {
  /** Of the p99 from end to end, over the placements: what the paper's Fig. 18 gives. */
  endToEndP99: number
  endToEndP50: number
  /** Of every p50 and p99 of every task and from end to end. */
  all: number
  /** The median of the same. */
  median: number
}

/** How far simulations and runs are apart over several placements. */
export function deviationsOf(comparisons: readonly Comparison[]): Deviations {
  const rows = comparisons.flatMap((comparison) => comparison.rows)
  const whole = rows.filter(({ task }) => task === null)
  const sizes = (figures: Figure[]): number[] => figures.map(({ deviation }) => Math.abs(deviation))
  const all = sizes(rows.flatMap(({ p50, p99 }) => [p50, p99]))
  return {
    endToEndP99: mean(sizes(whole.map(({ p99 }) => p99))),
    endToEndP50: mean(sizes(whole.map(({ p50 }) => p50))),
    all: mean(all),
    median: all.length > 0 ? median(all) : Number.NaN,
  }
}

function figureOf(simulated: number[], measured: number[]): Figure {
  const simulatedMs = median(simulated)
  const measuredMs = median(measured)
  return { simulatedMs, measuredMs, deviation: measuredMs > 0 ? simulatedMs / measuredMs - 1 : Number.NaN }
}

/** A quantile (0 to 1) of sorted values, by linear interpolation between neighbours; `NaN` without values. */
export function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1)
  const low = sorted[Math.floor(at)] ?? Number.NaN
  return low + ((sorted[Math.ceil(at)] ?? low) - low) * (at - Math.floor(at))
}

const median = (values: number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  )

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
