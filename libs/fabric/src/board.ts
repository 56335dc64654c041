import type { Build, FabricCache } from './cache.ts'
import { FrameLine } from './frames.ts'
import { type RegisterBus, SerialRegisters } from './registers.ts'

/** A board that bitstreams are loaded on. */
export interface Board {
  /** The part, as the manifest of a build names it. */
  readonly device: string
  /** Loads a build in the place of what was loaded. Throws `board`. */
  write(build: Build, signal?: AbortSignal): Promise<void>
  registers(): RegisterBus
  frames(): FrameLine
  /** Switches it off. */
  close(): Promise<void>
}

/** The registers of a board that another process simulates in a folder. */
export const registersAt = (folder: string): RegisterBus => new SerialRegisters(`${folder}/serial.sock`)

/** The same in every build, so that a board can say which it has. */
const BUILD_ADDRESS = 0x18

/** The build that a board says it has, as the cache keeps it. Throws `board`, `not-found`. */
export async function loadedBuild(bus: RegisterBus, cache: FabricCache): Promise<Build> {
  return cache.findDesign((await bus.read(BUILD_ADDRESS)).toString(16).padStart(8, '0'))
}

/** The frames of a board that another process simulates in a folder. */
export const framesAt = (folder: string): FrameLine => new FrameLine(`${folder}/frames.sock`)
