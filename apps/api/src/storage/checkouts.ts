/** Folders that hold the text and the files of one version each, to deploy and to measure it. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Inject, Injectable } from '@nestjs/common'
import { newId } from '../common/text.ts'
import { CONFIG, type Config } from '../config/config.ts'
import type { VersionFile } from '../database/tables.ts'
import { Snapshots } from './snapshots.ts'

/** What a folder is made from. */
export interface CheckoutSource {
  workflowFile: string
  text: string
  files: readonly VersionFile[]
}

/** A checkout that was not used for so long is removed; it is made again when it is needed. */
const UNUSED_MS = 7 * 86_400_000

@Injectable()
export class Checkouts {
  private readonly root: string
  private readonly snapshots: Snapshots
  private readonly making = new Map<string, Promise<void>>()

  constructor(@Inject(CONFIG) config: Config, snapshots: Snapshots) {
    this.root = path.join(config.dataDir, 'checkouts')
    this.snapshots = snapshots
  }

  /** A folder with the content of a version, named after that content. Nobody may write into it. */
  async folder(source: CheckoutSource): Promise<string> {
    const name = createHash('sha256')
      .update(
        JSON.stringify([
          source.workflowFile,
          source.text,
          source.files.map(({ path, hash }) => [path, hash]),
        ]),
      )
      .digest('hex')
      .slice(0, 32)
    const folder = path.join(this.root, name)
    const making = this.making.get(name) ?? this.make(source, folder)
    this.making.set(name, making)
    try {
      await making
    } finally {
      this.making.delete(name)
    }
    return folder
  }

  private async make(source: CheckoutSource, folder: string): Promise<void> {
    const now = new Date()
    if ((await stat(folder).catch(() => null))?.isDirectory()) return utimes(folder, now, now)
    const draft = path.join(this.root, `.new-${newId()}`)
    try {
      await this.materialise(source, draft)
      await rename(draft, folder)
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
  }

  /** Unpacks a version into a folder, which is created. */
  async materialise({ workflowFile, text, files }: CheckoutSource, folder: string): Promise<void> {
    await mkdir(folder, { recursive: true })
    await this.snapshots.write(files, folder)
    await writeFile(path.join(folder, workflowFile), text)
  }

  /** Removes what was not used for a week, and what an interrupted unpacking left. Returns how many. */
  async sweep(unusedMs = UNUSED_MS): Promise<number> {
    let removed = 0
    for (const name of await readdir(this.root).catch(() => [])) {
      const folder = path.join(this.root, name)
      const found = await stat(folder).catch(() => null)
      if (!found || (!name.startsWith('.') && Date.now() - found.mtimeMs <= unusedMs)) continue
      await rm(folder, { recursive: true, force: true })
      removed++
    }
    return removed
  }
}
