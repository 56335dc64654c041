/** What statements on HiveMind share. */
import type { SystemName } from '../fleet.ts'
import type { Study } from '../systems.ts'

/** Every job and scenario on one system. */
export const runs = (study: Study, system: SystemName) => study.all(study.everything(), system)

/** A ratio as a change in percent. */
export const change = (ratio: number) => `${ratio < 1 ? '-' : '+'}${(100 * Math.abs(ratio - 1)).toFixed(1)} %`
