/** Calls of a running HiveMind service, for commands that are about its state. */
import { Readable } from 'node:stream'
import { type Route, type RouteName, routes } from '@hivemind/contracts'
import type { Command } from 'commander'
import { z } from 'zod'
import { otherFault, usageFault } from './failure.ts'

export const serviceHelp = 'URL of the service; its password is read from HIVEMIND_PASSWORD'
export const DEFAULT_SERVICE = 'http://127.0.0.1:4310/'

/** Makes a command of a group, with the option `--service`. */
export type AddCommand = (name: string, description: string) => Command

type Answer<N extends RouteName> = (typeof routes)[N]['answer'] extends z.ZodType
  ? z.output<(typeof routes)[N]['answer']>
  : undefined

interface Call {
  path?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** Instead of `body`. */
  bytes?: Readable
  /** Of `bytes`, when it is known. */
  size?: number | undefined
}

/** Calls one service, with an access key of its store or signed in where it asks for a password. */
export class ServiceClient {
  readonly #url: string
  readonly #accessKey: string | undefined
  #cookie: string | undefined

  /** Throws `Failure` when `url` is none. */
  constructor(url: string, accessKey?: string) {
    if (!/^https?:/.test(url) || !URL.canParse(url))
      throw usageFault(`'${url}' is no URL of a service: give one such as ${DEFAULT_SERVICE}.`)
    this.#url = url.endsWith('/') ? url : `${url}/`
    this.#accessKey = accessKey
  }

  /** The answer's body, held against the contract. Throws `Failure` with the service's own sentence. */
  async call<N extends RouteName>(name: N, call: Call = {}): Promise<Answer<N>> {
    const response = await this.open(name, call)
    const { answer }: Route = routes[name]
    return (answer instanceof z.ZodType ? answer.parse(await response.json()) : undefined) as Answer<N>
  }

  /** The answer, whose body is still to be read. Throws `Failure` with the service's own sentence. */
  async open(name: RouteName, call: Call = {}): Promise<Response> {
    const response = await this.#send(name, call)
    if (response.status === 401 && this.#cookie === undefined && this.#accessKey === undefined) {
      await this.#signIn()
      return this.open(name, call)
    }
    if (!response.ok) throw otherFault(await sentenceOf(response))
    return response
  }

  /** Signs in now where the service asks for a password. */
  async signInIfNeeded(): Promise<void> {
    if (this.#accessKey !== undefined) return
    const { passwordRequired } = await this.call('getSession')
    if (passwordRequired && this.#cookie === undefined) await this.#signIn()
  }

  async #signIn(): Promise<void> {
    const password = process.env.HIVEMIND_PASSWORD
    if (!password) throw otherFault(`The service at ${this.#url} asks for a password: set HIVEMIND_PASSWORD.`)
    const response = await this.#send('signIn', { body: { password } })
    if (!response.ok) throw otherFault(await sentenceOf(response))
    this.#cookie = response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ')
  }

  async #send(name: RouteName, { path = {}, query, body, bytes, size }: Call): Promise<Response> {
    const route: Route = routes[name]
    const where = route.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(path[key] ?? ''))
    const search = query ? `?${new URLSearchParams(query)}` : ''
    try {
      return await fetch(`${this.#url}api${where}${search}`, {
        method: route.method.toUpperCase(),
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(bytes === undefined ? {} : { 'content-type': 'application/octet-stream' }),
          ...(size === undefined ? {} : { 'content-length': String(size) }),
          ...(this.#cookie === undefined ? {} : { cookie: this.#cookie }),
          ...(this.#accessKey === undefined ? {} : { authorization: `Bearer ${this.#accessKey}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(bytes === undefined ? {} : { body: Readable.toWeb(bytes) as ReadableStream, duplex: 'half' }),
      })
    } catch {
      throw otherFault(`No service answers at ${this.#url}: start it, or name another with --service.`)
    }
  }
}

async function sentenceOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { detail?: string }
  return body.detail ?? `The service answered ${response.status}.`
}
