/** Options of a simulation. */
import type { Conditions } from './faults.ts'

/** Seed and conditions of a simulated run. */
export interface SimulationOptions {
  seed: number
  conditions?: Conditions
}

/** Options of a simulation that reports more than an estimate. */
export interface DetailOptions extends SimulationOptions {
  /** Whether the result includes the run over time. */
  series?: boolean
}
