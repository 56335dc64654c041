/** What a simulation is asked for. */
import type { Conditions } from './faults.ts'

export interface SimulationOptions {
  seed: number
  conditions?: Conditions
}

export interface DetailOptions extends SimulationOptions {
  /** Whether the detail has the run over time too. */
  series?: boolean
}
