import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Writes a file, which appears under its name only when it is complete. Rejects when it cannot be written or read from. */
export async function writeWholeFile(bytes: Readable, file: string): Promise<void> {
  const draft = `${file}.part`
  try {
    await pipeline(bytes, createWriteStream(draft))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
