/** Which device may use which values: those of a run are for its devices, for as long as it goes on. */
import { runOfPool } from '@hivemind/synthesis'
import type { Access, Permission } from './data-endpoint.ts'

/** Runs of an earlier process go on within this time after the start, in ms. */
const SETTLED_MS = 600_000

/** A run that goes on. */
export interface PoolUse {
  run: string
  /** Its devices, as the hub knows them. */
  devices: ReadonlySet<string>
  /** Pools of other runs from which it takes recorded values. */
  reads: ReadonlySet<string>
}

/** The runs that go on, and what their devices may use. */
export class RunPools {
  readonly #uses = new Map<string, PoolUse>()
  readonly #settledAt: number

  /** @param settledMs for so long a run that is not known may still be one of an earlier process */
  constructor(settledMs = SETTLED_MS) {
    this.#settledAt = performance.now() + settledMs
  }

  /** Called before the devices of a run hear of it; what it returns, when it has ended. */
  begin(use: PoolUse): () => void {
    this.#uses.set(use.run, use)
    return () => {
      if (this.#uses.get(use.run) === use) this.#uses.delete(use.run)
    }
  }

  /** Whether a device may use values of a pool; no device drops any. */
  permission(device: string, pool: string, access: Access): Permission {
    if (access === 'drop') return 'refused'
    const own = this.#uses.get(runOfPool(pool))
    if (own?.devices.has(device)) return 'granted'
    if (access === 'read' && this.#isRecordedFor(device, pool)) return 'granted'
    return own || performance.now() >= this.#settledAt ? 'refused' : 'unknown'
  }

  #isRecordedFor(device: string, pool: string): boolean {
    for (const { devices, reads } of this.#uses.values())
      if (devices.has(device) && reads.has(pool)) return true
    return false
  }
}
