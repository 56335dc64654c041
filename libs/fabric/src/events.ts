import type { Manifest } from './manifest.ts'

/** The stages of a build, in their order. `place and route` comes once for each seed, of several at once. */
export type FabricStage = 'generate' | 'synthesis' | 'place and route' | 'pack' | 'read back' | 'model'

/** What a build says while it goes on. */
export type FabricEvent =
  | { kind: 'stage'; stage: FabricStage; seed?: number }
  | { kind: 'log'; line: string; seed?: number }
  /** How many of the connections between cells the router has made. */
  | { kind: 'routing'; seed: number; made: number; of: number }
  /** A seed that could not be routed. */
  | { kind: 'given up'; seed: number; problem: string }
  | { kind: 'available'; folder: string; manifest: Manifest; isCached: boolean }
