import { Body, Controller, Req, Res } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type BodyOf, Operation } from '../common/contract.ts'
import { Problem } from '../common/problem.ts'
import { AuthService, isForm, SESSION_COOKIE } from './auth.service.ts'

@Controller()
export class AuthController {
  private readonly auth: AuthService

  constructor(auth: AuthService) {
    this.auth = auth
  }

  @Operation('getSession')
  get(@Req() request: FastifyRequest) {
    return this.auth.session(request)
  }

  @Operation('signIn')
  async signIn(
    @Body() body: BodyOf<'signIn'>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    // The login page sends a form and wants to see a page afterwards; the web app sends JSON.
    const form = isForm(request)
    try {
      const token = await this.auth.signIn(body.password, request.ip)
      reply.setCookie(SESSION_COOKIE, token, {
        path: '/',
        httpOnly: true,
        sameSite: 'strict',
        secure: request.protocol === 'https',
      })
    } catch (error) {
      if (!form || !(error instanceof Problem)) throw error
      void reply.redirect('/?wrong', 303)
      return
    }
    if (form) void reply.redirect('/', 303)
  }

  @Operation('signOut')
  async signOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.auth.signOut(request)
    reply.clearCookie(SESSION_COOKIE, { path: '/' })
  }
}
