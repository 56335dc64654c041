/** Secrets at rest: AES-256-GCM with a key in a file of its own, which is in no backup. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The key is not there, or not the one that something was sealed with. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/** Seals and opens texts with the key of a file. */
export class Sealing {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** The text, so that only `open` with the same `label` and key can read it. Makes the key when there is none. */
  async seal(text: string, label: string): Promise<string> {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, await this.#ownKey(), nonce).setAAD(Buffer.from(label))
    const sealed = [cipher.update(text, 'utf8'), cipher.final()]
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64')
  }

  /** The text again. Rejects with `SealError` when the key is gone or another, or when somebody changed what was sealed. */
  async open(sealed: string, label: string): Promise<string> {
    const bytes = Buffer.from(sealed, 'base64')
    const key = await this.#key()
    if (!key) throw new SealError(`The key ${this.#file} is gone: put it back, or enter the secret again.`)
    try {
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(label))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch {
      throw new SealError(
        `The key ${this.#file} is not the one that this was sealed with: put that back, or enter the secret again.`,
      )
    }
  }

  async #ownKey(): Promise<Buffer> {
    const there = await this.#key()
    if (there) return there
    await mkdir(path.dirname(this.#file), { recursive: true })
    const text = `${randomBytes(KEY_BYTES).toString('base64')}\n`
    try {
      await writeFile(this.#file, text, { flag: 'wx', mode: 0o600, flush: true })
    } catch (error) {
      // Another request, or another service with the same key, was first.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    return (await this.#key()) as Buffer
  }

  async #key(): Promise<Buffer | undefined> {
    let text: string
    try {
      text = await readFile(this.#file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
    const key = Buffer.from(text.trim(), 'base64')
    if (key.length !== KEY_BYTES)
      throw new SealError(
        `The key ${this.#file} is not ${KEY_BYTES} bytes in base64: put the right file back.`,
      )
    return key
  }
}
