/** Files that are copied with their hash and forced to the disk. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, mkdir, open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Every regular file below `folder` as a path with `/`, in order; none when there is no such folder. Links are left out. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort()
}

/** Every folder below `folder`, empty ones included: a database needs those too. */
export async function foldersBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort()
}

/** The sha-256 of a file's bytes, in hexadecimal. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Copies a file and returns the size and the hash of what was copied. */
export async function copyHashed(from: string, to: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  await mkdir(path.dirname(to), { recursive: true })
  await pipeline(
    createReadStream(from),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    },
    createWriteStream(to, { flags: 'wx' }),
  )
  return { bytes, sha256: hash.digest('hex') }
}

/** A second name for a file that never changes; `null` where the file system gives none. */
export async function linkFile(from: string, to: string): Promise<{ bytes: number } | null> {
  await mkdir(path.dirname(to), { recursive: true })
  try {
    await link(from, to)
  } catch {
    return null
  }
  return { bytes: (await stat(to)).size }
}

/** Forces a file or a folder's entries to the disk. */
export async function sync(name: string): Promise<void> {
  const handle = await open(name, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Forces everything below `folder` to the disk, and the folder itself. */
export async function syncTree(folder: string): Promise<void> {
  for (const file of await filesBelow(folder)) await sync(path.join(folder, file))
  for (const each of await foldersBelow(folder)) await sync(path.join(folder, each))
  await sync(folder)
}
