/** Values kept in files: they survive the process, and several processes may use one folder. */
import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { EncodedValue } from '../codec.ts'
import { type DataPort, MissingValueError } from '../port.ts'
import type { StoredRef, ValueRef } from '../ref.ts'

/** Longest name of a file that every file system takes, in bytes. */
const MAX_NAME_BYTES = 200
const NEWLINE = 10

/**
 * A file for each version, `DIR/POOL/KEY/VERSION`: the media type, a line feed, the bytes of the value. A file appears
 * under its name only when it is complete.
 */
export class FolderDataPort implements DataPort {
  readonly #dir: string

  /** @param dir folder of the pools; made when it is not there */
  constructor(dir: string) {
    this.#dir = dir
  }

  async put(pool: string, key: string, value: EncodedValue): Promise<StoredRef> {
    if (/[\r\n]/.test(value.type)) throw new Error(`'${value.type}' is not a media type.`)
    const folder = this.#folder(pool, key)
    await mkdir(folder, { recursive: true })
    const draft = path.join(folder, `.${randomUUID()}`)
    try {
      await writeFile(draft, [Buffer.from(`${value.type}\n`, 'utf8'), value.bytes])
      const version = await publish(draft, folder)
      return { kind: 'stored', pool, key, version, size: value.bytes.length, type: value.type }
    } finally {
      await rm(draft, { force: true })
    }
  }

  async get(ref: ValueRef): Promise<EncodedValue> {
    if (ref.kind === 'inline') return { type: ref.type, bytes: ref.bytes }
    const file = path.join(this.#folder(ref.pool, ref.key), String(ref.version))
    const content = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new MissingValueError(ref)
      throw error
    })
    const end = content.indexOf(NEWLINE)
    return { type: content.toString('utf8', 0, end), bytes: content.subarray(end + 1) }
  }

  async drop(pool: string): Promise<void> {
    await rm(path.join(this.#dir, fileName(pool)), { recursive: true, force: true, maxRetries: 3 })
  }

  #folder(pool: string, key: string): string {
    return path.join(this.#dir, fileName(pool), fileName(key))
  }
}

/** Gives a complete file the next free version as its name, also while other processes do the same. */
async function publish(draft: string, folder: string): Promise<number> {
  const names = await readdir(folder)
  for (let version = Math.max(0, ...names.map(versionOf)) + 1; ; version += 1) {
    try {
      await link(draft, path.join(folder, String(version)))
      return version
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

const versionOf = (name: string): number => (/^\d+$/.test(name) ? Number(name) : 0)

/** A name as one file name: readable where it can be, and never `.`, `..` or too long. */
function fileName(name: string): string {
  const escaped = encodeURIComponent(name).replace(/^\./, '%2E').replaceAll('*', '%2A') || '%'
  if (escaped.length <= MAX_NAME_BYTES) return escaped
  return `${escaped.slice(0, 100)}%${createHash('sha256').update(name).digest('hex')}`
}
