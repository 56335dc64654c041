/** Values and blobs of a service over HTTP, for agents and functions. The service's side is `libs/deploy`'s data endpoint. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { EncodedValue } from '../codec.ts'
import { type DataPort, MissingValueError } from '../port.ts'
import type { StoredRef, ValueRef } from '../ref.ts'

/** Where the data endpoint is, and who asks. */
export interface HttpDataPortOptions {
  /** Base URL, such as `http://127.0.0.1:8080`. */
  url: string
  /** Name and password; a device uses its id and its password at the broker. */
  user: string
  password: string
  /** Longest time for one request, in ms; 60,000 when absent. */
  timeoutMs?: number
}

/** The data endpoint refused a request or could not be reached; `status` is 0 in the second case. */
export class DataEndpointError extends Error {
  override readonly name = 'DataEndpointError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A `DataPort` that a service keeps. */
export class HttpDataPort implements DataPort {
  readonly #options: HttpDataPortOptions
  readonly #authorization: string

  constructor(options: HttpDataPortOptions) {
    this.#options = options
    this.#authorization = `Basic ${Buffer.from(`${options.user}:${options.password}`).toString('base64')}`
  }

  async put(pool: string, key: string, value: EncodedValue): Promise<StoredRef> {
    const response = await this.#request('PUT', valuePath(pool, key), value)
    if (response.status !== 201) throw await refusal(response, `The value '${key}' was not stored`)
    const { version } = (await response.json()) as { version: number }
    return { kind: 'stored', pool, key, version, size: value.bytes.length, type: value.type }
  }

  async get(ref: ValueRef): Promise<EncodedValue> {
    if (ref.kind === 'inline') return { type: ref.type, bytes: ref.bytes }
    const response = await this.#request('GET', `${valuePath(ref.pool, ref.key)}?version=${ref.version}`)
    if (response.status === 404) throw new MissingValueError(ref)
    if (response.status !== 200) throw await refusal(response, `The value '${ref.key}' was not read`)
    return { type: ref.type, bytes: new Uint8Array(await response.arrayBuffer()) }
  }

  async drop(pool: string): Promise<void> {
    const response = await this.#request('DELETE', `/v1/values/${encodeURIComponent(pool)}`)
    if (response.status !== 204) throw await refusal(response, `The pool '${pool}' was not dropped`)
  }

  /** The bytes of a blob. The stream fails at its end when they do not match the hash. */
  async blob(hash: string): Promise<Readable> {
    const response = await this.#request('GET', `/v1/blobs/${hash}`)
    if (response.status !== 200 || !response.body)
      throw await refusal(response, `The blob ${hash} was not read`)
    return Readable.from(verified(response, hash), { objectMode: false })
  }

  async #request(method: string, path: string, value?: EncodedValue): Promise<Response> {
    const { url, timeoutMs = 60_000 } = this.#options
    try {
      return await fetch(`${url.replace(/\/$/, '')}${path}`, {
        method,
        headers: { authorization: this.#authorization, ...(value ? { 'content-type': value.type } : {}) },
        ...(value ? { body: value.bytes as Uint8Array<ArrayBuffer> } : {}),
        signal: AbortSignal.timeout(timeoutMs),
      })
    } catch (error) {
      const { message, cause } = error as Error
      const why = (cause as Error | undefined)?.message ?? message
      throw new DataEndpointError(0, `The data endpoint ${url} does not answer: ${why}.`)
    }
  }
}

const valuePath = (pool: string, key: string): string =>
  `/v1/values/${encodeURIComponent(pool)}/${encodeURIComponent(key)}`

async function refusal(response: Response, what: string): Promise<DataEndpointError> {
  const text = await response.text().catch(() => '')
  return new DataEndpointError(response.status, `${what} (HTTP ${response.status}): ${text.slice(0, 500)}`)
}

/**
 * The body, checked. It holds the response to the end: a body that nobody has begun to read is cancelled, and reads as empty,
 * when its response is collected.
 */
async function* verified(response: Response, wanted: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== wanted)
    throw new DataEndpointError(
      response.status,
      `The data endpoint sent other bytes than those of blob ${wanted}.`,
    )
}
