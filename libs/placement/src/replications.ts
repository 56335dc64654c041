/** Estimates from replications: every candidate is simulated under the same several seeds. */
import type { Estimate } from '@hivemind/swarm'
import { type Model, simulateScaled } from '@hivemind/swarm-sim'

/** Runs of each simulated candidate. */
export const REPLICATIONS = 5
/** Two-sided 95 % point of Student's t distribution with `REPLICATIONS - 1` degrees of freedom. */
const STUDENT_T = 2.776

/** The estimate of one candidate from its replications. */
export interface Replicated {
  /** The mean of every figure. */
  estimate: Estimate
  /** The p99 latency of each run, in ms. */
  p99sMs: number[]
}

/** Simulates a model under `seed` and the ones after it, in steps of a few milliseconds. */
export function* replications(
  model: Model,
  options: { seed: number; maxItems: number },
): Generator<undefined, Replicated> {
  const estimates: Estimate[] = []
  for (let replication = 0; replication < REPLICATIONS; replication++) {
    estimates.push(yield* simulateScaled(model, { ...options, seed: options.seed + replication }))
    if (replication + 1 < REPLICATIONS) yield
  }
  return {
    estimate: meanOf(estimates) as Estimate,
    p99sMs: estimates.map(({ latencyMs }) => latencyMs.p99),
  }
}

/** The mean of every number in values of equal structure; anything else is taken from the first value. */
function meanOf(values: readonly unknown[]): unknown {
  const [first] = values
  if (typeof first === 'number')
    return (values as number[]).reduce((sum, each) => sum + each, 0) / values.length
  if (typeof first !== 'object' || first === null) return first
  return Object.fromEntries(
    Object.keys(first).map((key) => [
      key,
      meanOf(values.map((value) => (value as Record<string, unknown>)[key])),
    ]),
  )
}

/** The 95 % confidence interval of the mean of the runs, taken as normally distributed. */
export function intervalOf(values: readonly number[]): { low: number; high: number } {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length
  const squares = values.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  const half = (STUDENT_T * Math.sqrt(squares / (values.length - 1))) / Math.sqrt(values.length)
  return { low: mean - half, high: mean + half }
}

/**
 * Whether two candidates are statistically tied: the confidence interval of their paired difference contains 0. With common
 * random numbers differences vary less than values, so candidates whose own intervals overlap may still differ.
 */
export function areTied(a: readonly number[], b: readonly number[]): boolean {
  const { low, high } = intervalOf(a.map((each, index) => each - (b[index] as number)))
  return low <= 0 && high >= 0
}
