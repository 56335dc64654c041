import { type Route, routes } from '@hivemind/contracts'
import { Inject, Injectable } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccessKeysService } from '../access-keys/access-keys.service.ts'
import { isSecret } from '../access-keys/key-ring.ts'
import { Problem } from '../common/problem.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { demand, rightsOf } from './access.ts'
import { Attempts } from './attempts.ts'
import { loginPage } from './login-page.ts'
import { refusalOf } from './origin.ts'
import { type KeyHolder, type Person, type Principal, principalOf, setPrincipal } from './principal.ts'
import { SessionsRepository } from './sessions.repository.ts'
import { Sessions, sameSecret } from './sessions.ts'

export const SESSION_COOKIE = 'hivemind_session'
/** The one account there is. */
const ACCOUNT = 'owner'
/** Wrong access keys count here, those that name a key by that name. */
const KEY_ACCOUNT = 'access key'

/** The contract's routes for which `holds`, by `METHOD /api/path`. None of them has parameters. */
const routesWhere = (holds: (route: Route) => unknown) =>
  new Map(
    Object.values<Route>(routes)
      .filter(holds)
      .map((route) => [`${route.method.toUpperCase()} /api${route.path}`, route]),
  )
const openRoutes = routesWhere((route) => route.open)
const formRoutes = routesWhere((route) => route.form)
const keyRoutes = routesWhere((route) => route.accessKey)
const nameOf = (request: FastifyRequest): string => `${request.method} ${request.routeOptions.url}`

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route beside the contract that access keys may use, and that looks at their rights itself. */
    opensToAccessKeys?: true
  }
}

/** Too many wrong secrets. */
class TooManyAttempts extends Problem {
  readonly waitSeconds: number

  constructor(what: string, waitSeconds: number) {
    super(429, `Too many wrong ${what}: wait ${waitSeconds} s and try again.`)
    this.waitSeconds = waitSeconds
  }
}

/** Methods that change nothing. */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether the request matched a route of the API. */
export const isApiRequest = ({ routeOptions: { url } }: FastifyRequest): boolean =>
  url?.startsWith('/api/') ?? false

/** Whether the body is what a page's form sends without a script. */
export const isForm = ({ headers }: FastifyRequest): boolean =>
  headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false

function refuse(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .status(problem.status)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem))
}

/** What a request gives as Basic authorisation after the colon. */
function basicPassword({ headers }: FastifyRequest): string | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(headers.authorization ?? '') ?? []
  if (!encoded) return undefined
  const given = Buffer.from(encoded, 'base64').toString('utf8')
  return given.slice(given.indexOf(':') + 1)
}

/** The access key that a request carries: any bearer token, or a password that has the form of a key. */
function accessKeyIn(request: FastifyRequest): string | undefined {
  const [, token] = /^Bearer\b *(.*)$/i.exec(request.headers.authorization ?? '') ?? []
  if (token !== undefined) return token
  const password = basicPassword(request)
  return password !== undefined && isSecret(password) ? password : undefined
}

/** The one gate that every request passes, API and web app alike. */
@Injectable()
export class AuthService {
  private readonly keys: AccessKeysService
  private readonly password: string | undefined
  private readonly repository: SessionsRepository
  private readonly sessions: Sessions
  private readonly attempts = new Attempts()

  constructor(@Inject(CONFIG) config: Config, keys: AccessKeysService, repository: SessionsRepository) {
    this.keys = keys
    this.repository = repository
    this.password = config.password
    this.sessions = new Sessions(config.password ?? '')
  }

  /** Goes on with the sessions that began before. */
  async open(): Promise<void> {
    for (const session of await this.repository.list()) this.sessions.restore(session)
  }

  get passwordRequired(): boolean {
    return this.password !== undefined
  }

  /** Lets a request pass or answers it. Decides on the matched route, which one path may name in many spellings. */
  gate(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const isApi = isApiRequest(request)
    const isPage = !isApi && SAFE_METHODS.has(request.method)
    const refusal = refusalOf(request.headers, {
      host: request.host,
      isPage,
      localOnly: !this.passwordRequired,
    })
    if (refusal) return refuse(reply, new Problem(403, refusal))
    const route = nameOf(request)
    if (isForm(request) && !formRoutes.has(route))
      return refuse(reply, new Problem(415, 'Send the body as application/json.'))
    let principal: Principal | undefined
    try {
      principal = this.identify(request)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error instanceof TooManyAttempts) reply.header('Retry-After', String(error.waitSeconds))
      return refuse(reply, error)
    }
    if (principal) {
      setPrincipal(request, principal)
      if (principal.how !== 'key' || keyRoutes.has(route)) return undefined
      if (request.routeOptions.config?.opensToAccessKeys) return undefined
      const detail = `Access key '${principal.name}' does not open ${request.method} ${request.routeOptions.url ?? 'this'}: ${rightsOf(principal)} in the store.`
      return refuse(reply, new Problem(403, detail))
    }
    if (openRoutes.has(route)) return undefined
    if (isApi) {
      // A browser that saw this header would put up a window of its own.
      if (request.headers['sec-fetch-mode'] === undefined)
        reply.header('WWW-Authenticate', 'Basic realm="HiveMind", charset="UTF-8"')
      return refuse(reply, new Problem(401, 'Sign in first: this service has a password.'))
    }
    const failed = request.raw.url?.includes('?wrong') ?? false
    return reply.status(401).type('text/html; charset=utf-8').send(loginPage(failed))
  }

  /** Answers a request with an access key whose path its rights do not hold. Runs when the body has been read. */
  permit(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const principal = principalOf(request)
    const route = keyRoutes.get(nameOf(request))
    if (principal?.how !== 'key' || !route?.accessKey || route.accessKey.filtered) return undefined
    const { right, at } = route.accessKey
    const values = (route.body ? request.body : request.query) as Record<string, unknown> | null | undefined
    const path = values?.[at]
    try {
      // The controller says what is wrong with a path that is none, but is not to be relied on.
      if (typeof path !== 'string') throw new Problem(400, `${at}: must be one path`)
      demand(principal, right, path, at)
      return undefined
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return refuse(reply, error)
    }
  }

  private identify(request: FastifyRequest): Principal | undefined {
    const secret = accessKeyIn(request)
    return secret === undefined ? this.person(request) : this.keyHolder(secret, request.ip)
  }

  private person(request: FastifyRequest): Person | undefined {
    if (!this.passwordRequired) return { name: 'local', how: 'loopback' }
    const token = request.cookies[SESSION_COOKIE]
    const ended = token ? this.sessions.find(token) : undefined
    if (ended) return { name: ACCOUNT, how: 'session', ended }
    const password = basicPassword(request)
    if (password === undefined) return undefined
    this.verify(password, request.ip)
    return { name: ACCOUNT, how: 'basic' }
  }

  /**
   * Throws 401 on a secret that opens nothing, and 429 after too many wrong ones. They count for the key that they name alone, so
   * that a program which goes on with a removed key makes no other wait.
   */
  private keyHolder(secret: string, address: string): KeyHolder {
    const { claimed, holder, expired } = this.keys.find(secret)
    const account = claimed ? `${KEY_ACCOUNT} ${claimed.name}` : KEY_ACCOUNT
    const wait = this.attempts.wait(account, address)
    if (wait > 0) throw new TooManyAttempts('access keys', wait)
    if (holder) {
      this.attempts.succeed(account, address)
      return holder
    }
    if (expired) throw new Problem(401, `Access key '${claimed?.name}' has expired: ask for a new one.`)
    this.attempts.fail(account, address)
    throw new Problem(401, 'There is no such access key: it is wrong, or was removed.')
  }

  /** Throws 401 on a wrong password and 429 after too many. */
  private verify(given: string, address: string): void {
    const wait = this.attempts.wait(ACCOUNT, address)
    if (wait > 0) throw new TooManyAttempts('passwords', wait)
    if (this.password !== undefined && sameSecret(given, this.password)) {
      this.attempts.succeed(ACCOUNT, address)
      return
    }
    this.attempts.fail(ACCOUNT, address)
    throw new Problem(401, 'The password is wrong.', [{ field: 'password', message: 'is wrong' }])
  }

  /** A new session's token. Throws 401 and 429. */
  async signIn(password: string, address: string): Promise<string> {
    if (this.passwordRequired) this.verify(password, address)
    const { token, kept, dropped } = this.sessions.start()
    await this.repository.add(kept)
    if (dropped !== undefined) await this.repository.remove(dropped)
    return token
  }

  async signOut(request: FastifyRequest): Promise<void> {
    const token = request.cookies[SESSION_COOKIE]
    if (token) await this.repository.remove(this.sessions.end(token))
  }

  session(request: FastifyRequest) {
    const principal = principalOf(request)
    return {
      passwordRequired: this.passwordRequired,
      ...(principal ? { principal: { name: principal.name } } : {}),
    }
  }
}
