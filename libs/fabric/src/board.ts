import { existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Build, FabricCache } from './cache.ts'
import { FabricError } from './error.ts'
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
  /** Tells other programs to leave it alone, until what is returned is called. */
  reserve(): () => void
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

/** Where a folder says that its board is being loaded. */
const busyFile = (folder: string): string => path.join(folder, 'busy')

/** Says in a folder that its board is to be left alone, until what is returned is called. */
export function reserveFolder(folder: string): () => void {
  writeFileSync(busyFile(folder), '')
  return () => rmSync(busyFile(folder), { force: true })
}

/** Whether the board in a folder is being loaded. */
export const isLoading = (folder: string): boolean => existsSync(busyFile(folder))

const LONGEST_LOAD_MS = 60_000
const LOOK_MS = 50

/** Resolves when the board in a folder is not being loaded. Throws `board` when that takes longer than a minute. */
export async function whenNotLoading(folder: string): Promise<void> {
  const until = performance.now() + LONGEST_LOAD_MS
  while (isLoading(folder)) {
    if (performance.now() > until)
      throw new FabricError(
        'board',
        `The board in '${folder}' has been loading for a minute: start it again.`,
      )
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** The frames of a board that another process simulates in a folder. */
export const framesAt = (folder: string): FrameLine => new FrameLine(`${folder}/frames.sock`)
