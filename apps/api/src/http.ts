/** The HTTP side of the service: Fastify with its plugins, security headers and the gate. */
import cookies from '@fastify/cookie'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import statics from '@fastify/static'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyReply } from 'fastify'
import { AuthService, isApiRequest } from './auth/auth.service.ts'
import { answerUnreadable, MAX_HEADERS_BYTES } from './common/client-error.ts'
import { log, withRequestId } from './common/log.ts'
import { ProblemFilter } from './common/problem.filter.ts'
import { Problem } from './common/problem.ts'
import { newId } from './common/text.ts'
import { type Config, isLoopback } from './config/config.ts'
import { MetricsService } from './metrics/metrics.service.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { OpenedStore } from './storage/opened-store.ts'
import { storeFiles } from './store/files/files.routes.ts'
import { StoreService } from './store/store.service.ts'

/** Time for the head of a request, in ms. */
const MAX_HEADERS_MS = 20_000
/** How often connections are looked at for being late, in ms. */
const MAX_CHECKING_MS = 5_000

/** Time over which the requests of one address are counted, in ms. */
const RATE_WINDOW_MS = 10_000

export function createAdapter(config: Config): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: config.bodyLimit,
    // Whoever sends a body byte by byte holds no connection for ever. 8 MB come in time from 0.6 Mbit/s.
    requestTimeout: config.requestTimeoutMs,
    clientErrorHandler: answerUnreadable,
    http: {
      maxHeaderSize: MAX_HEADERS_BYTES,
      headersTimeout: Math.min(config.requestTimeoutMs, MAX_HEADERS_MS),
      connectionsCheckingInterval: Math.min(config.requestTimeoutMs / 2, MAX_CHECKING_MS),
    },
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    forceCloseConnections: true,
    genReqId: newId,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_error: unknown, _request: unknown, reply: FastifyReply) => {
      void reply
        .status(400)
        .type('application/problem+json; charset=utf-8')
        .send(JSON.stringify(new Problem(400, 'The address could not be read.')))
    },
  })
}

/** Puts plugins, headers, gate and error answers around the controllers. */
export async function prepareHttp(app: NestFastifyApplication, config: Config): Promise<void> {
  await app.register(cookies)
  await app.register(helmet, SECURITY_HEADERS)
  // On loopback nobody else is there to be protected from.
  if (!isLoopback(config.host))
    await app.register(rateLimit, {
      max: config.maxRequests,
      timeWindow: RATE_WINDOW_MS,
      errorResponseBuilder: (_request, { ttl }) =>
        new Problem(429, `Too many requests: try again in ${Math.ceil(ttl / 1000)} s.`),
    })
  await app.register(statics, { root: config.webDir, serve: false, preCompressed: true })
  const auth = app.get(AuthService)
  const metrics = app.get(MetricsService)
  const fastify = app.getHttpAdapter().getInstance()
  // Bodies are JSON; the other kinds that pages of other sites can send without asking are refused with 415.
  fastify.removeContentTypeParser('text/plain')
  // Bytes of any size are read as they come, by the routes that take them.
  fastify.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  // Everything that a request does, also later, logs its id.
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    withRequestId(request.id, done)
  })
  fastify.addHook('onResponse', async (request, reply) => {
    const { method, url } = request
    const fields = { status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    log.debug(fields, `${method} ${url}`)
    metrics.request(method, request.routeOptions.url ?? '', reply.statusCode, reply.elapsedTime)
  })
  fastify.addHook('onRequest', async (request, reply) => {
    if (isApiRequest(request)) reply.header('Cache-Control', 'no-store')
    return auth.gate(request, reply)
  })
  fastify.addHook('preHandler', async (request, reply) => auth.permit(request, reply))
  await app.register(storeFiles(app.get(OpenedStore).store, app.get(StoreService), config.bodyLimit))
  app.useGlobalFilters(new ProblemFilter(config.bodyLimit))
}
