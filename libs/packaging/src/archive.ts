/** Files in a tar archive. The same files give the same bytes. */
import { createReadStream, lstatSync, readlinkSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Pack } from 'tar-stream'

/** One entry of an archive. */
export type Entry =
  /** A file, with the content of one of this machine; links are followed. */
  { file: string; mode?: number } | { text: string; mode?: number } | { link: string } | { folder: number }

/** Entries by absolute path in the archive; folders above an entry come by themselves. */
export type Entries = Map<string, Entry>

/** No time of the day is in an archive. */
export const EPOCH: Date = new Date(0)

/** Writes all entries, in the order of their paths. The archive stays open. Rejects when a file cannot be read. */
export async function writeEntries(archive: Pack, entries: ReadonlyMap<string, Entry>): Promise<void> {
  const all = withFolders(entries)
  for (const target of [...all.keys()].sort()) {
    const entry = all.get(target) as Entry
    const name = target.slice(1)
    if ('folder' in entry)
      archive.entry({ name: `${name}/`, type: 'directory', mode: entry.folder, mtime: EPOCH })
    else if ('link' in entry) archive.entry({ name, type: 'symlink', linkname: entry.link, mtime: EPOCH })
    else if ('text' in entry) archive.entry({ name, mode: entry.mode ?? 0o644, mtime: EPOCH }, entry.text)
    else {
      const { mode } = await stat(entry.file)
      await writeFile(archive, name, entry.file, entry.mode ?? (mode & 0o111 ? 0o755 : 0o644))
    }
  }
}

/** Writes one file. It is not held in memory: it may be as large as a runtime. Rejects when it cannot be read. */
export async function writeFile(archive: Pack, name: string, file: string, mode: number): Promise<void> {
  const { size } = await stat(file)
  await new Promise<void>((resolve, reject) => {
    const entry = archive.entry({ name, size, mode, mtime: EPOCH }, (error) =>
      error ? reject(error) : resolve(),
    )
    createReadStream(file).on('error', reject).pipe(entry)
  })
}

function withFolders(entries: ReadonlyMap<string, Entry>): Map<string, Entry> {
  const all = new Map(entries)
  for (const target of entries.keys())
    for (let folder = path.dirname(target); folder !== '/'; folder = path.dirname(folder))
      if (!all.has(folder)) all.set(folder, { folder: 0o755 })
  return all
}

/** What lies at a path, as an entry: a link stays one. */
export function entryAt(file: string): Entry {
  return lstatSync(file).isSymbolicLink() ? { link: readlinkSync(file) } : { file }
}
