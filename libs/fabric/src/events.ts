import type { Manifest } from './manifest.ts'

/** The stages of a build, in their order. `place and route` comes once for each seed. */
export type FabricStage = 'generate' | 'synthesis' | 'place and route' | 'pack' | 'read back' | 'model'

/** What a build says while it goes on. */
export type FabricEvent =
  | { kind: 'stage'; stage: FabricStage; seed?: number }
  | { kind: 'log'; line: string }
  | { kind: 'available'; folder: string; manifest: Manifest; isCached: boolean }
