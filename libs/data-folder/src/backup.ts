/** Backups of a data folder: a folder each, with a manifest that says what belongs into it. */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DataFolderError } from './error.ts'
import { copyHashed, filesBelow, foldersBelow, hashOf, linkFile, sync, syncTree } from './files.ts'

/** Why a backup was made: each reason has a number of backups of its own that are kept. */
export type BackupReason = 'hourly' | 'upgrade' | 'asked'

interface BackupFile {
  path: string
  bytes: number
  /** Absent of files that share their bytes with the data folder. */
  sha256?: string
}

interface Manifest {
  schema: 'hivemind.backup/1'
  reason: BackupReason
  /** ISO 8601. */
  createdAt: string
  /** Version of HiveMind that made it. */
  version: string
  /** State of the database: equal when nothing was written in between. */
  position?: string
  files: BackupFile[]
  /** Folders, since a database needs its empty ones. */
  folders: string[]
}

/** A backup that is whole, as far as its manifest tells. */
export interface Backup extends Manifest {
  /** Its folder. */
  dir: string
}

export const MANIFEST = 'backup.json'
/** What of a data folder is backed up. The rest is made anew, or belongs to processes. */
export const PARTS = ['db', 'projects', 'blobs', 'local/values', 'store'] as const
type Part = (typeof PARTS)[number]
/** Parts whose files never change: they may share their bytes with the data folder. */
const IMMUTABLE = new Set<string>(['blobs', 'local/values'])

interface BackUpOptions {
  /** The data folder. */
  dataDir: string
  /** Folder of backups; the new one is a folder in it. */
  to: string
  reason: BackupReason
  version: string
  position?: string
  /** Shares the bytes of what never changes, where the file system can. For backups on the same disk. */
  share?: boolean
  /** Runs the copy of the database while nothing writes to it. */
  freeze?: (copy: () => Promise<void>) => Promise<void>
  /** Writes parts that a process has open to a folder, instead of a copy of their files. */
  write?: Partial<Record<Part, (folder: string) => Promise<void>>>
}

/**
 * Makes a backup and forces it to the disk; it appears under its name only once it is whole. Rejects with the errors of
 * the file system, and leaves nothing behind then.
 */
export async function backUp({
  dataDir,
  to,
  reason,
  version,
  position,
  share = false,
  freeze = (copy) => copy(),
  write = {},
}: BackUpOptions): Promise<Backup> {
  const createdAt = new Date().toISOString()
  const name = `${createdAt.replaceAll(':', '-')}-${randomBytes(3).toString('hex')}`
  const draft = path.join(to, `.new-${name}`)
  const files: BackupFile[] = []
  const folders: string[] = []
  const writePart = async (part: Part, writeTo: (folder: string) => Promise<void>) => {
    const folder = path.join(draft, part)
    await writeTo(folder)
    folders.push(...(await foldersBelow(folder)).map((each) => `${part}/${each}`))
    for (const file of await filesBelow(folder)) {
      const written = path.join(folder, file)
      files.push({
        path: `${part}/${file}`,
        bytes: (await stat(written)).size,
        sha256: await hashOf(written),
      })
    }
  }
  const copyPart = async (part: Part) => {
    for (const folder of await foldersBelow(path.join(dataDir, part))) {
      await mkdir(path.join(draft, part, folder), { recursive: true })
      folders.push(`${part}/${folder}`)
    }
    for (const file of await filesBelow(path.join(dataDir, part))) {
      const [from, copy] = [path.join(dataDir, part, file), path.join(draft, part, file)]
      const shared = share && IMMUTABLE.has(part) ? await linkFile(from, copy) : null
      try {
        files.push({ path: `${part}/${file}`, ...(shared ?? (await copyHashed(from, copy))) })
      } catch (error) {
        // Deleted since it was listed, as a file of a project may be; the database stands still meanwhile.
        if (part === 'db' || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
  }
  try {
    await mkdir(draft, { recursive: true })
    for (const part of PARTS) {
      const writeTo = write[part]
      if (writeTo) await writePart(part, writeTo)
      else if (part === 'db') await freeze(() => copyPart(part))
      else await copyPart(part)
    }
    const manifest: Manifest = {
      schema: 'hivemind.backup/1',
      reason,
      createdAt,
      version,
      ...(position === undefined ? {} : { position }),
      files,
      folders,
    }
    await writeFile(path.join(draft, MANIFEST), JSON.stringify(manifest))
    await syncTree(draft)
    const dir = path.join(to, name)
    await rename(draft, dir)
    await sync(to)
    return { ...manifest, dir }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

/** Reads the manifest of a backup. Throws `DataFolderError` when the folder is none. */
export async function readBackup(dir: string): Promise<Backup> {
  try {
    const manifest = JSON.parse(await readFile(path.join(dir, MANIFEST), 'utf8')) as Manifest
    if (manifest.schema !== 'hivemind.backup/1' || !Array.isArray(manifest.files))
      throw new Error('of another kind')
    return { ...manifest, dir }
  } catch (error) {
    throw new DataFolderError(
      `'${dir}' is no backup of HiveMind (${MANIFEST} cannot be read: ${(error as Error).message}): name a folder that 'hivemind backup' has made.`,
    )
  }
}

/** The backups in a folder, the newest first. Anything else in it is passed over. */
export async function listBackups(folder: string): Promise<Backup[]> {
  const names = await readdir(folder).catch(() => [])
  const backups = await Promise.all(
    names
      .filter((name) => !name.startsWith('.'))
      .map((name) => readBackup(path.join(folder, name)).catch(() => null)),
  )
  return backups
    .filter((backup) => backup !== null)
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0))
}

/** Removes all but the newest `keep` backups of a reason, and drafts that a crash left. Returns how many backups went. */
export async function pruneBackups(folder: string, reason: BackupReason, keep: number): Promise<number> {
  const old = (await listBackups(folder)).filter((backup) => backup.reason === reason).slice(keep)
  for (const { dir } of old) await rm(dir, { recursive: true, force: true })
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith('.new-')) await rm(path.join(folder, name), { recursive: true, force: true })
  return old.length
}
