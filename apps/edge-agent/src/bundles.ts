/** Blobs of the service on this device, and the bundles unpacked from them. */
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { BlobStore, HttpDataPort } from '@hivemind/values/node'

/** The code of a task as a blob: where each file goes, and the blob of its content. */
export interface BundleManifest {
  schema: 'hivemind.bundle/1'
  entry: string
  files: { path: string; hash: string; bytes: number }[]
}

/** What a device is to keep, by hash. */
export interface Wanted {
  blobs: readonly string[]
  /** Manifests of bundles. */
  bundles: readonly string[]
}

/** Where missing blobs come from. */
export interface BlobSource {
  blob(hash: string): Promise<AsyncIterable<Uint8Array>>
}

/** The agent's blobs: fetched once, checked against their hashes, kept over restarts. */
export class Bundles {
  readonly #dir: string
  readonly #store: BlobStore
  readonly #fetching = new Map<string, Promise<void>>()

  /** `dir`: folder of the agent. */
  constructor(dir: string) {
    this.#dir = path.join(dir, 'bundles')
    this.#store = new BlobStore(path.join(dir, 'blobs'))
  }

  /** Reads a blob of JSON. Rejects when it cannot be fetched or is no JSON. */
  async json(hash: string, source: BlobSource): Promise<unknown> {
    await this.#ensure(hash, source)
    const bytes = await this.#store.bytes(hash)
    try {
      return JSON.parse(bytes.toString('utf8'))
    } catch (error) {
      throw new Error(`The blob ${hash} is not JSON: ${(error as Error).message}`)
    }
  }

  /**
   * Unpacks a bundle, by the hash of its manifest, and returns its folder. A folder appears under its name only when it is
   * complete. Rejects when a file cannot be fetched or would lie outside the folder.
   */
  async unpack(hash: string, source: BlobSource): Promise<string> {
    const folder = path.join(this.#dir, hash.slice(0, 32))
    if (await stat(folder).catch(() => null)) return folder
    const manifest = (await this.json(hash, source)) as BundleManifest
    if (manifest?.schema !== 'hivemind.bundle/1' || !Array.isArray(manifest.files))
      throw new Error(`The blob ${hash} is not the manifest of a bundle.`)
    const draft = `${folder}.${process.pid}.tmp`
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { recursive: true })
    for (const file of manifest.files) {
      const target = path.resolve(draft, String(file.path))
      if (!target.startsWith(`${draft}${path.sep}`))
        throw new Error(`The bundle ${hash} has a file outside its folder: '${file.path}'.`)
      await this.#ensure(file.hash, source)
      await mkdir(path.dirname(target), { recursive: true })
      await copyFile(this.#store.path(file.hash), target)
    }
    await rename(draft, folder).catch(async (error: NodeJS.ErrnoException) => {
      // another deployment has unpacked the same bundle meanwhile
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
      await rm(draft, { recursive: true, force: true })
    })
    return folder
  }

  /**
   * Removes what is not wanted: blobs, and folders of bundles, that are older than `olderThanMs` (by default one
   * hour, so that going back costs nothing). To be called when nothing else runs.
   */
  async sweep({ blobs, bundles }: Wanted, { olderThanMs = 3_600_000 } = {}): Promise<void> {
    const live = new Set([...blobs, ...bundles])
    const folders = new Set(bundles.map((hash) => hash.slice(0, 32)))
    for (const hash of bundles) for (const file of await this.#filesOf(hash)) live.add(file.hash)
    await this.#store.sweep(live, { olderThanMs })
    const before = Date.now() - olderThanMs
    for (const name of await readdir(this.#dir).catch(() => [])) {
      const folder = path.join(this.#dir, name)
      if (!folders.has(name) && (await stat(folder)).mtimeMs <= before)
        await rm(folder, { recursive: true, force: true })
    }
  }

  /** The files of a bundle whose manifest is here. */
  async #filesOf(hash: string): Promise<BundleManifest['files']> {
    try {
      return (JSON.parse((await this.#store.bytes(hash)).toString('utf8')) as BundleManifest).files
    } catch {
      // It was not fetched, or is broken: its deployment has failed, and is to be fetched again.
      return []
    }
  }

  #ensure(hash: string, source: BlobSource): Promise<void> {
    const under =
      this.#fetching.get(hash) ?? this.#fetch(hash, source).finally(() => this.#fetching.delete(hash))
    this.#fetching.set(hash, under)
    return under
  }

  async #fetch(hash: string, source: BlobSource): Promise<void> {
    if (await this.#store.has(hash)) return
    const stored = await this.#store.put(await source.blob(hash))
    if (stored !== hash) throw new Error(`The service sent other bytes than those of the blob ${hash}.`)
  }
}

/** The data endpoint of the service, for a device. */
export function dataPortOf(url: string, device: string, token: string): HttpDataPort {
  return new HttpDataPort({ url, user: device, password: token })
}
