import { type Route, routes } from '@hivemind/contracts'
import { Inject, Injectable } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../common/problem.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { Attempts } from './attempts.ts'
import { loginPage } from './login-page.ts'
import { refusalOf } from './origin.ts'
import { type Principal, principalOf, setPrincipal } from './principal.ts'
import { Sessions, sameSecret } from './sessions.ts'

export const SESSION_COOKIE = 'hivemind_session'
/** The one account there is. */
const ACCOUNT = 'owner'

/** Names of the contract's routes for which `holds`, as `METHOD /api/path`. None of them has parameters. */
const routesWhere = (holds: (route: Route) => true | undefined) =>
  new Set(
    Object.values<Route>(routes)
      .filter(holds)
      .map((route) => `${route.method.toUpperCase()} /api${route.path}`),
  )
const openRoutes = routesWhere((route) => route.open)
const formRoutes = routesWhere((route) => route.form)

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

/** The one gate that every request passes, API and web app alike. */
@Injectable()
export class AuthService {
  private readonly password: string | undefined
  private readonly sessions = new Sessions()
  private readonly attempts = new Attempts()

  constructor(@Inject(CONFIG) config: Config) {
    this.password = config.password
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
    const route = `${request.method} ${request.routeOptions.url}`
    if (isForm(request) && !formRoutes.has(route))
      return refuse(reply, new Problem(415, 'Send the body as application/json.'))
    let principal: Principal | undefined
    try {
      principal = this.identify(request)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.status === 429) reply.header('Retry-After', String(this.attempts.wait(ACCOUNT, request.ip)))
      return refuse(reply, error)
    }
    if (principal) {
      setPrincipal(request, principal)
      return undefined
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

  private identify(request: FastifyRequest): Principal | undefined {
    if (!this.passwordRequired) return { name: 'local', how: 'loopback' }
    const token = request.cookies[SESSION_COOKIE]
    const ended = token ? this.sessions.find(token) : undefined
    if (ended) return { name: ACCOUNT, how: 'session', ended }
    const [, encoded] = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (!encoded) return undefined
    const given = Buffer.from(encoded, 'base64').toString('utf8')
    this.verify(given.slice(given.indexOf(':') + 1), request.ip)
    return { name: ACCOUNT, how: 'basic' }
  }

  /** Throws 401 on a wrong password and 429 after too many. */
  private verify(given: string, address: string): void {
    const wait = this.attempts.wait(ACCOUNT, address)
    if (wait > 0) throw new Problem(429, `Too many wrong passwords: wait ${wait} s and try again.`)
    if (this.password !== undefined && sameSecret(given, this.password)) {
      this.attempts.succeed(ACCOUNT, address)
      return
    }
    this.attempts.fail(ACCOUNT, address)
    throw new Problem(401, 'The password is wrong.', [{ field: 'password', message: 'is wrong' }])
  }

  /** A new session's token. Throws 401 and 429. */
  signIn(password: string, address: string): string {
    if (this.passwordRequired) this.verify(password, address)
    return this.sessions.start()
  }

  signOut(request: FastifyRequest): void {
    this.sessions.end(request.cookies[SESSION_COOKIE] ?? '')
  }

  session(request: FastifyRequest) {
    const principal = principalOf(request)
    return {
      passwordRequired: this.passwordRequired,
      ...(principal ? { principal: { name: principal.name } } : {}),
    }
  }
}
