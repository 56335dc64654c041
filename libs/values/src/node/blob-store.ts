/** A content-addressed folder: each blob is a file named after the sha-256 of its bytes. */
import { createHash, type Hash, randomBytes } from 'node:crypto'
import { createReadStream, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'

/** sha-256 of a blob's bytes, 64 hexadecimal digits in lower case. */
export type BlobHash = string

/** Bytes, or where they come from. */
export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>

/** A blob that is missing (`missing`) or whose bytes no longer match its name (`corrupted`). */
export class BlobError extends Error {
  override readonly name = 'BlobError'
  readonly kind: 'missing' | 'corrupted'
  readonly hash: BlobHash

  constructor(kind: 'missing' | 'corrupted', hash: BlobHash) {
    super(
      kind === 'missing'
        ? `There is no blob ${hash}.`
        : `The file of blob ${hash} is corrupted: its content does not match its name.`,
    )
    this.kind = kind
    this.hash = hash
  }
}

const HASH = /^[0-9a-f]{64}$/
/** Folder of files that are still being written, beside the folders of blobs. */
const DRAFTS = 'drafts'

/** What `BlobStore.sweep` removed. */
export interface Swept {
  /** Number of blobs. */
  blobs: number
  /** Their size together. */
  bytes: number
}

/**
 * Keeps blobs in a folder. A blob appears under its name only once it is complete and on the disk, so a writer that is
 * killed leaves at most a draft, which `sweep` removes. Reading compares the bytes with the name.
 */
export class BlobStore {
  readonly root: string

  /** Uses `root`, which is created with the first blob. */
  constructor(root: string) {
    this.root = path.resolve(root)
  }

  /** The file of a blob, whether it is there or not. Throws `RangeError` when `hash` is not a sha-256 in hexadecimal. */
  path(hash: BlobHash): string {
    if (!HASH.test(hash)) throw new RangeError(`'${hash}' is not a sha-256 in hexadecimal.`)
    return path.join(this.root, hash.slice(0, 2), hash.slice(2))
  }

  /** Stores the content and returns its hash. Concurrent calls with the same content are safe. Rejects when the disk does. */
  async put(content: BlobContent): Promise<BlobHash> {
    const drafts = path.join(this.root, DRAFTS)
    await mkdir(drafts, { recursive: true })
    const draft = path.join(drafts, randomBytes(12).toString('hex'))
    const handle = await open(draft, 'wx')
    try {
      const hash = await write(handle, content)
      const file = this.path(hash)
      // Without an await in between, so that no sweep of this process falls between the two. A file that was there
      // already is replaced: its content is the same, or it was corrupted.
      mkdirSync(path.dirname(file), { recursive: true })
      renameSync(draft, file)
      return hash
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  /** Whether the blob is there. */
  async has(hash: BlobHash): Promise<boolean> {
    return stat(this.path(hash)).then(
      (found) => found.isFile(),
      () => false,
    )
  }

  /** Makes a blob count as new for `sweep`. Returns false when it is not there. */
  touch(hash: BlobHash): boolean {
    try {
      const now = new Date()
      utimesSync(this.path(hash), now, now)
      return true
    } catch {
      return false
    }
  }

  /** Size of a blob in bytes. Rejects with `BlobError` when it is missing. */
  async size(hash: BlobHash): Promise<number> {
    return (await stat(this.path(hash)).catch(missing(hash))).size
  }

  /** All bytes of a blob. Rejects with `BlobError` when it is missing or corrupted. */
  async bytes(hash: BlobHash): Promise<Buffer> {
    const bytes = await readFile(this.path(hash)).catch(missing(hash))
    if (createHash('sha256').update(bytes).digest('hex') !== hash) throw new BlobError('corrupted', hash)
    return bytes
  }

  /** The bytes of a blob as a stream, which fails with `BlobError` when it is missing, or at its end when it is corrupted. */
  get(hash: BlobHash): Readable {
    return Readable.from(verified(this.path(hash), hash), { objectMode: false })
  }

  /**
   * Removes every blob that is not in `live`, and abandoned drafts, when they are older than `olderThanMs` (by default one
   * hour): a blob is stored before what refers to it, so a new one may not be in `live` yet.
   */
  async sweep(live: ReadonlySet<BlobHash>, { olderThanMs = 3_600_000 } = {}): Promise<Swept> {
    const before = Date.now() - olderThanMs
    const swept: Swept = { blobs: 0, bytes: 0 }
    for (const folder of namesIn(this.root)) {
      for (const name of namesIn(path.join(this.root, folder))) {
        const file = path.join(this.root, folder, name)
        if (folder !== DRAFTS && (!HASH.test(folder + name) || live.has(folder + name))) continue
        const bytes = removeOlder(file, before)
        if (bytes === null || folder === DRAFTS) continue
        swept.blobs++
        swept.bytes += bytes
      }
      // Lets other work of the process go on between the folders.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return swept
  }
}

/** Writes the content and sees it to the disk; returns its hash. Closes the file. */
async function write(handle: FileHandle, content: BlobContent): Promise<BlobHash> {
  try {
    const hash = createHash('sha256')
    if (content instanceof Uint8Array) await append(handle, hash, content)
    else for await (const chunk of content) await append(handle, hash, chunk)
    await handle.sync()
    return hash.digest('hex')
  } finally {
    await handle.close()
  }
}

async function append(handle: FileHandle, hash: Hash, chunk: Uint8Array): Promise<void> {
  hash.update(chunk)
  for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten
}

async function* verified(file: string, wanted: BlobHash): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(file)) {
      hash.update(chunk as Buffer)
      yield chunk as Buffer
    }
  } catch (error) {
    missing(wanted)(error as NodeJS.ErrnoException)
  }
  if (hash.digest('hex') !== wanted) throw new BlobError('corrupted', wanted)
}

const missing =
  (hash: BlobHash) =>
  (error: NodeJS.ErrnoException): never => {
    throw error.code === 'ENOENT' ? new BlobError('missing', hash) : error
  }

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Removes a file last changed before an instant. Returns its size, or null when it stays. Synchronous: see `put`. */
function removeOlder(file: string, before: number): number | null {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found?.isFile() || found.mtimeMs > before) return null
  rmSync(file, { force: true })
  return found.size
}
