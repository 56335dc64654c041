import { type Route, routes } from '@hivemind/contracts'
import { Inject, Injectable } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../common/problem.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { loginPage } from './login-page.ts'
import { refusalOf } from './origin.ts'
import { type Principal, principalOf, setPrincipal } from './principal.ts'
import { Attempts, Sessions, sameSecret } from './sessions.ts'

export const SESSION_COOKIE = 'hivemind_session'

const openRoutes = new Set(
  Object.values<Route>(routes)
    .filter((route) => route.open)
    .map((route) => `${route.method.toUpperCase()} /api${route.path}`),
)

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

  /** Lets a request pass or answers it. */
  gate(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const [pathname = ''] = request.raw.url?.split('?') ?? []
    const isApi = pathname === '/api' || pathname.startsWith('/api/')
    const refusal = refusalOf(request.headers, isApi, !this.passwordRequired)
    if (refusal) return refuse(reply, new Problem(403, refusal))
    let principal: Principal | undefined
    try {
      principal = this.identify(request)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.status === 429) reply.header('Retry-After', String(this.attempts.wait(request.ip)))
      return refuse(reply, error)
    }
    if (principal) {
      setPrincipal(request, principal)
      return undefined
    }
    if (openRoutes.has(`${request.method} ${pathname}`)) return undefined
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
    if (token && this.sessions.isValid(token)) return { name: 'owner', how: 'session' }
    const [, encoded] = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (!encoded) return undefined
    const given = Buffer.from(encoded, 'base64').toString('utf8')
    this.verify(given.slice(given.indexOf(':') + 1), request.ip)
    return { name: 'owner', how: 'basic' }
  }

  /** Throws 401 on a wrong password and 429 after too many. */
  private verify(given: string, address: string): void {
    const wait = this.attempts.wait(address)
    if (wait > 0) throw new Problem(429, `Too many wrong passwords: wait ${wait} s and try again.`)
    if (this.password !== undefined && sameSecret(given, this.password)) return
    this.attempts.fail(address)
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
