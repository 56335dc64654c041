import { readFileSync } from 'node:fs'
import path from 'node:path'
import { FabricError } from './error.ts'
import type { Parameters } from './parameters.ts'

/** A clock of a build. */
export interface ClockTiming {
  name: string
  /** Fastest clock after place and route, in MHz. */
  achievedMhz: number
  /** What the board needs, in MHz. */
  requiredMhz: number
}

/** The slowest path of a clock. */
export interface CriticalPath {
  from: string
  to: string
  clock: string
  /** In ns. */
  delayNs: number
  /** In ns: how much of the delay is wires. */
  routingNs: number
}

/** How much of a resource of the device is used. */
export interface Utilisation {
  resource: string
  used: number
  available: number
}

/** What one seed of place and route gave. */
export interface SeedResult {
  seed: number
  /** None where it was given up. */
  clocks: ClockTiming[]
  isTimingMet: boolean
  /** Why it was given up: the router would not have come to its end. */
  problem?: string
}

/** The format of manifests; a build with another one is not used any more. */
export const FORMAT = 3

/** All that is known of a build. Equal inputs give an equal manifest, byte for byte. */
export interface Manifest {
  format: typeof FORMAT
  /** Hash of all inputs; its first 32 bits are the bitstream's USERCODE. */
  id: string
  /** Hash of the Verilog, the pins and the tools, without the seeds; its first 32 bits are in the register BUILD. */
  design: string
  /** Hash of the generator's sources, by which the verdict of their tests is found (`readVerdict`). */
  generator: string
  /** In the order of their registers. */
  engines: string[]
  device: string
  board: string
  /** By `engine.parameter`. */
  parameters: Parameters
  /** UUID of the register map. */
  interface: string
  registerMapHash: string
  tools: Record<string, string>
  seeds: SeedResult[]
  /** The seed whose result was packed. */
  seed: number
  isTimingMet: boolean
  clocks: ClockTiming[]
  criticalPaths: CriticalPath[]
  utilisation: Utilisation[]
  /** sha-256 of each file. */
  files: Record<string, string>
}

/** The first 32 bits of a hash, as a register holds them. */
export const idWord = (id: string): number => Number.parseInt(id.slice(0, 8), 16)

/** Reads the manifest of a build's folder. Throws `damaged`. */
export function readManifest(folder: string): Manifest {
  const file = path.join(folder, 'manifest.json')
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
    if (manifest.format === FORMAT) return manifest
  } catch (error) {
    throw new FabricError('damaged', `${file} cannot be read: ${(error as Error).message}.`)
  }
  throw new FabricError('damaged', `${file} is of another format than ${FORMAT}: build it again.`)
}

/** Whether the manifest of a build's folder is one that can be read, or damaged; not of another format. */
export function isOfThisFormat(folder: string): boolean {
  try {
    const { format } = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')) as Manifest
    return format === FORMAT
  } catch {
    return true
  }
}
