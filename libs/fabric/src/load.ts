import type { KeyObject } from 'node:crypto'
import type { Board } from './board.ts'
import { type Build, verifyFiles } from './cache.ts'
import { FabricError } from './error.ts'
import { writeAndTest } from './self-test.ts'
import { checkSignature } from './signature.ts'

/** What is on a board. */
export interface Loaded {
  build: Build
  /** Set when the build that was asked for did not pass, and this one was loaded again. */
  rolledBackFrom?: { id: string; reason: string }
}

/** What a load is held against. */
export interface LoadOptions {
  /** The build that is on the board and stays when the new one fails; the golden image at first. */
  previous: Build
  /** Loads a build whose timing is not met. */
  allowUnmetTiming?: boolean
  /** Whose builds are loaded; everybody's when left out. */
  trusted?: readonly KeyObject[]
}

/** Throws when a build is not for this board: damaged, not signed by whom it trusts, another device or interface, timing not met. */
export function checkBeforeLoad(
  board: Board,
  build: Build,
  { previous, allowUnmetTiming, trusted }: LoadOptions,
): void {
  const { manifest } = build
  verifyFiles(build)
  checkSignature(build, trusted)
  if (manifest.device !== board.device)
    throw new FabricError(
      'device-mismatch',
      `The build is for ${manifest.device}, the board is a ${board.device}.`,
    )
  if (manifest.interface !== previous.manifest.interface)
    throw new FabricError(
      'interface-mismatch',
      `The build has the register interface ${manifest.interface}, the board's software knows ${previous.manifest.interface}.`,
    )
  if (!manifest.isTimingMet && !allowUnmetTiming)
    throw new FabricError(
      'timing-not-met',
      `The timing of build ${manifest.id.slice(0, 8)} is not met: it may compute wrongly.`,
    )
}

/**
 * Loads a build: checks it, writes it, reads its identity back and tests it. When the identity or a test fails, the previous
 * build is loaded again, and the result says why. Throws when the build is refused before anything is written, and `board`
 * when the previous one cannot be loaded either.
 */
export async function loadBuild(board: Board, build: Build, options: LoadOptions): Promise<Loaded> {
  checkBeforeLoad(board, build, options)
  try {
    await writeAndTest(board, build)
    return { build }
  } catch (error) {
    if (!(error instanceof FabricError)) throw error
    await writeAndTest(board, options.previous)
    return { build: options.previous, rolledBackFrom: { id: build.manifest.id, reason: error.message } }
  }
}
