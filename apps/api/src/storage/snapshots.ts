/** The files of a project as a version keeps them: paths and hashes, the bytes in the blob store. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { BlobError, BlobStore } from '@hivemind/values/node'
import { Injectable } from '@nestjs/common'
import { conflict } from '../common/problem.ts'
import { newId } from '../common/text.ts'
import type { VersionFile } from '../database/tables.ts'
import { ProjectFolders } from './project-folders.ts'
import { TEMPORARY } from './project-path.ts'

/** A file changed as recently as this when it was read may change again without a sign in its times. */
const RACY_MS = 2_000

interface Known {
  mtimeMs: number
  ctimeMs: number
  size: number
  ino: number
  hash: string
}

@Injectable()
export class Snapshots {
  private readonly folders: ProjectFolders
  private readonly blobs: BlobStore
  /** Hashes by absolute path, so that an unchanged file is not read again. */
  private readonly known = new Map<string, Known>()

  constructor(folders: ProjectFolders, blobs: BlobStore) {
    this.folders = folders
    this.blobs = blobs
  }

  /** The files of the project's folder as they are now, all of them in the blob store. */
  async take(project: string): Promise<VersionFile[]> {
    return this.each(project, (file, known) =>
      known && this.blobs.touch(known) ? known : this.blobs.put(createReadStream(file)),
    )
  }

  /** The same without storing anything. */
  look(project: string): Promise<VersionFile[]> {
    return this.each(project, async (file, known) => {
      if (known) return known
      const hash = createHash('sha256')
      for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
      return hash.digest('hex')
    })
  }

  private async each(
    project: string,
    hashOf: (file: string, known: string | undefined) => Promise<string> | string,
  ): Promise<VersionFile[]> {
    const files: VersionFile[] = []
    for (const { path: name } of await this.folders.list(project)) {
      const file = path.join(this.folders.dir(project), name)
      try {
        const { mtimeMs, ctimeMs, size, ino } = await stat(file)
        const old = this.known.get(file)
        const same =
          old?.mtimeMs === mtimeMs && old.ctimeMs === ctimeMs && old.size === size && old.ino === ino
        const hash = await hashOf(file, same ? old.hash : undefined)
        if (Date.now() - Math.max(mtimeMs, ctimeMs) > RACY_MS)
          this.known.set(file, { mtimeMs, ctimeMs, size, ino, hash })
        else this.known.delete(file)
        files.push({ path: name, hash, bytes: size })
      } catch (error) {
        // Deleted since it was listed.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
    return files
  }

  /**
   * Writes files into a folder, which is created. Copies, never links: task code may write where it stands. Rejects with a
   * 409 when a file's content is missing or corrupted.
   */
  async write(files: readonly VersionFile[], folder: string): Promise<void> {
    for (const { path: name, hash } of files) {
      const file = path.join(folder, name)
      await mkdir(path.dirname(file), { recursive: true })
      const draft = path.join(path.dirname(file), `${TEMPORARY}${newId()}`)
      try {
        const bytes = await this.blobs.bytes(hash)
        await copyFile(this.blobs.path(hash), draft)
        // The draft was copied after the check; a size that differs cannot be the content that was checked.
        if ((await stat(draft)).size !== bytes.length) throw new BlobError('corrupted', hash)
        await rename(draft, file)
        const now = new Date()
        await utimes(file, now, now)
      } catch (error) {
        await rm(draft, { force: true })
        if (error instanceof BlobError)
          throw conflict(`The content of '${name}' cannot be read from the version: ${error.message}`)
        throw error
      }
    }
  }

  /** Makes the project's folder hold these files and no others, besides those the service keeps itself. */
  async restore(project: string, files: readonly VersionFile[]): Promise<void> {
    const now = new Map((await this.look(project)).map((file) => [file.path, file.hash]))
    const wanted = new Set(files.map((file) => file.path))
    const changed = files.filter((file) => now.get(file.path) !== file.hash)
    // Everything that may fail for want of content first, before anything is deleted.
    for (const { path: name, hash } of changed)
      await this.blobs.bytes(hash).catch((error: unknown) => {
        if (error instanceof BlobError)
          throw conflict(`The content of '${name}' cannot be read from the version: ${error.message}`)
        throw error
      })
    for (const name of now.keys()) {
      if (wanted.has(name)) continue
      await this.folders.delete(project, name)
      // A folder left empty may stand where a file of the version belongs; `rmdir` refuses any other.
      for (let folder = path.dirname(name); folder !== '.'; folder = path.dirname(folder))
        await rmdir(path.join(this.folders.dir(project), folder)).catch(() => {})
    }
    await this.write(changed, this.folders.dir(project))
  }
}
