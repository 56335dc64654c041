import { StoreError } from '@hivemind/store'
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { storeProblem } from '../store/store-problem.ts'
import { log } from './log.ts'
import { Problem } from './problem.ts'
import { isDiskFull, isUnreachable } from './storage-errors.ts'

/** What Nest and Fastify refuse before a controller is reached: bodies they cannot read. */
function unreadable(status: number, limit: number): Problem {
  switch (status) {
    case 413:
      return new Problem(413, `The body is larger than the limit of ${limit / 1e6} MB.`, [
        { field: '(body)', message: `is larger than ${limit} bytes` },
      ])
    case 415:
      return new Problem(415, 'Send the body as application/json.')
    case 400:
      return new Problem(400, 'The body is not valid JSON.', [
        { field: '(body)', message: 'is not valid JSON' },
      ])
    default:
      return new Problem(status, 'The request could not be read.')
  }
}

/** The problem that tells a caller of `error`; `null` when it is a fault of the service. */
function problemOf(error: unknown, bodyLimit: number): Problem | null {
  if (error instanceof Problem) return error
  if (error instanceof StoreError) return storeProblem(error)
  if (error instanceof HttpException) return unreadable(error.getStatus(), bodyLimit)
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (typeof code !== 'string') return null
  if (isDiskFull(error))
    return new Problem(
      507,
      'The disk of the data folder is full: this was not saved. Make room and try again.',
    )
  if (isUnreachable(error)) return new Problem(503, 'The database cannot be reached; try again shortly.')
  if (code.startsWith('FST_') && typeof statusCode === 'number' && statusCode < 500)
    return unreadable(statusCode, bodyLimit)
  return null
}

/** Answers with `application/problem+json`, whatever failed; what is nobody's input is logged. */
export function answerFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyLimit: number,
): void {
  let problem = problemOf(error, bodyLimit)
  if (!problem) {
    log.error({ err: error, request: request.id }, `${request.method} ${request.url} failed.`)
    problem = new Problem(500, `The service failed at this; its log says more (request ${request.id}).`)
  }
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy()
    return
  }
  void reply
    .status(problem.status)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem))
}

/** What of Nest's controllers fails. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly bodyLimit: number

  constructor(bodyLimit: number) {
    this.bodyLimit = bodyLimit
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp()
    answerFailure(error, http.getRequest(), http.getResponse(), this.bodyLimit)
  }
}
