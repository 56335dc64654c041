import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { FabricCache } from './cache.ts'

/** That the tests of the hardware passed on this machine. */
export interface Verdict {
  /** `quick`: fewer seeds, frames and planted bugs. */
  suite: 'quick' | 'full'
  /** When, as ISO 8601 writes it. */
  passedAt: string
  simulations: number
  proofs: number
  /** That the proofs caught; those of simulations are among the simulations. */
  plantedBugs: number
}

const fileOf = (cache: FabricCache, generator: string): string =>
  `${cache.pathOf('verdicts', generator)}.json`

/**
 * The verdict of the tests on the generator's sources with this hash; `undefined` where they have not passed here. It is beside the
 * builds and not in their manifests: equal inputs give equal builds, also on a machine that tested nothing.
 */
export function readVerdict(cache: FabricCache, generator: string): Verdict | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(cache, generator), 'utf8')) as Verdict
  } catch {
    return undefined
  }
}

/** Keeps a verdict. That of a full suite stays when a quick one passes later. */
export function writeVerdict(cache: FabricCache, generator: string, verdict: Verdict): void {
  if (verdict.suite === 'quick' && readVerdict(cache, generator)?.suite === 'full') return
  const file = fileOf(cache, generator)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(verdict)}\n`)
  renameSync(`${file}.${process.pid}`, file)
}
