import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { FabricError } from './error.ts'
import { isOfThisFormat, type Manifest, readManifest } from './manifest.ts'
import { fileHash } from './tools.ts'

/** A build that is kept. */
export interface Build {
  folder: string
  manifest: Manifest
}

/** A folder of results under the hash of what they were made of. A result appears whole or not at all. */
export class FabricCache {
  readonly folder: string

  constructor(folder: string = defaultFolder()) {
    this.folder = folder
  }

  /** Where the result of a kind under a hash is, or would be. */
  pathOf(kind: string, hash: string): string {
    return path.join(this.folder, kind, hash)
  }

  /** The result, made by `make` in a fresh folder if it is not there yet. */
  async *once<E>(
    kind: string,
    hash: string,
    make: (folder: string) => AsyncGenerator<E>,
  ): AsyncGenerator<E, string> {
    const place = this.pathOf(kind, hash)
    if (existsSync(place)) return place
    mkdirSync(path.dirname(place), { recursive: true })
    const work = mkdtempSync(path.join(path.dirname(place), '.making-'))
    try {
      yield* make(work)
      try {
        renameSync(work, place)
      } catch (error) {
        // another process made the same meanwhile
        if (!existsSync(place)) throw error
      }
      return place
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }

  /** All builds, by id; without those of an older format, which no board loads. */
  builds(): Build[] {
    const folder = path.join(this.folder, 'builds')
    if (!existsSync(folder)) return []
    return readdirSync(folder)
      .filter((name) => /^[0-9a-f]{64}$/.test(name))
      .sort()
      .map((name) => path.join(folder, name))
      .filter(isOfThisFormat)
      .map((build) => ({ folder: build, manifest: readManifest(build) }))
  }

  /** A build of the design whose hash begins so: what the register BUILD says. Throws `not-found`. */
  findDesign(prefix: string): Build {
    const found = this.builds().find((build) => build.manifest.design.startsWith(prefix))
    if (found) return found
    throw new FabricError('not-found', `The board has design ${prefix}, of which no build is kept here.`)
  }

  /** The build whose id begins so. Throws `not-found`, also where several do. */
  find(prefix: string): Build {
    const found = this.builds().filter((build) => build.manifest.id.startsWith(prefix))
    if (found.length === 1) return found[0] as Build
    throw new FabricError(
      'not-found',
      found.length === 0
        ? `There is no build '${prefix}'. \`hivemind fabric list\` shows those there are.`
        : `'${prefix}' begins the ids of ${found.length} builds: give more of it.`,
    )
  }
}

/** Throws `damaged` when a file of a build is not the one that was built. */
export function verifyFiles({ folder, manifest }: Build): void {
  for (const [name, hash] of Object.entries(manifest.files)) {
    const file = path.join(folder, name)
    if (!existsSync(file)) throw new FabricError('damaged', `${file} is missing: build it again.`)
    if (fileHash(file) !== hash)
      throw new FabricError(
        'damaged',
        `${file} is not the file that was built: its hash differs. Build it again.`,
      )
  }
}

const defaultFolder = (): string =>
  process.env.HIVEMIND_FABRIC_DIR ?? path.resolve(import.meta.dirname, '../../../.cache/fabric')
