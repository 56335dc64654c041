import { Readable } from 'node:stream'
import type { ObjectInfo } from '@hivemind/store'
import { Body, Controller, Query, Req, Res } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerOf } from '../auth/principal.ts'
import { type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { Problem } from '../common/problem.ts'
import { StoreService } from './store.service.ts'
import { eventOf, lastEventOf, StoreStream } from './store-stream.ts'

const RESET = eventOf('reset', {})

@Controller()
export class StoreController {
  private readonly store: StoreService

  constructor(store: StoreService) {
    this.store = store
  }

  @Operation('listStorePools')
  pools(@Query() { prefix }: QueryOf<'listStorePools'>, @Req() request: FastifyRequest) {
    return this.store.pools(prefix, callerOf(request))
  }

  @Operation('createStorePool')
  createPool(@Body() { path, ...options }: BodyOf<'createStorePool'>, @Req() request: FastifyRequest) {
    return this.store.createPool(path, options, callerOf(request))
  }

  @Operation('removeStorePool')
  removePool(@Query() { path }: QueryOf<'removeStorePool'>) {
    return this.store.removePool(path)
  }

  @Operation('listStoreObjects')
  objects(@Query() { prefix, after, limit, ...at }: QueryOf<'listStoreObjects'>) {
    return this.store.objects(prefix, at, { after, limit })
  }

  @Operation('getStoreObject')
  async get(@Query() { key, ...at }: QueryOf<'getStoreObject'>, @Res() reply: FastifyReply): Promise<void> {
    const { chunks, type, size, version, timestamp } = await this.store.read(key, at)
    const name = key.slice(key.lastIndexOf('/') + 1).replace(/[^\w.-]/g, '_')
    await reply
      .header('Content-Disposition', `attachment; filename="${name}"`)
      // What somebody has put is never a page of this site.
      .header('Content-Security-Policy', "default-src 'none'; sandbox")
      .header('ETag', `"${version}"`)
      .header('X-Store-Version', version)
      .header('X-Store-Timestamp', timestamp)
      .header('Content-Length', size)
      .type(type || 'application/octet-stream')
      .send(Readable.from(chunks, { objectMode: false }))
  }

  @Operation('putStoreObject')
  put(
    @Query() { key, type, expectedVersion }: QueryOf<'putStoreObject'>,
    @Req() request: FastifyRequest,
  ): Promise<ObjectInfo> {
    const body = bytesOf(request.body)
    const size = Number(request.headers['content-length'] ?? Number.NaN)
    return this.store.put(key, type, body, size, expectedVersion)
  }

  @Operation('removeStoreObject')
  remove(@Query() { key, expectedVersion }: QueryOf<'removeStoreObject'>) {
    return this.store.remove(key, expectedVersion)
  }

  @Operation('previewStoreObject')
  preview(@Query() { key, ...at }: QueryOf<'previewStoreObject'>) {
    return this.store.preview(key, at)
  }

  @Operation('listStoreVersions')
  versions(@Query() { key, ...range }: QueryOf<'listStoreVersions'>) {
    return this.store.versions(key, range)
  }

  @Operation('listStoreChanges')
  changes(@Query() { prefix, ...range }: QueryOf<'listStoreChanges'>) {
    return this.store.changes(prefix, range)
  }

  @Operation('watchStore')
  async watch(
    @Query() { prefix, after }: QueryOf<'watchStore'>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const header = lastEventOf(request, undefined)
    const resume = header !== undefined && /^\d{1,16}$/.test(header) ? Number(header) : after
    const stream = new StoreStream(request, reply)
    const watch = await this.store.watch(prefix, resume, (change) =>
      stream.send(change ? eventOf('change', change, change.version) : RESET),
    )
    stream.open(() => watch.close())
  }

  @Operation('createStoreTopic')
  createTopic(@Body() { path, ...options }: BodyOf<'createStoreTopic'>, @Req() request: FastifyRequest) {
    return this.store.createTopic(path, options, callerOf(request))
  }

  @Operation('publishToStoreTopic')
  publish(@Query() { topic, type }: QueryOf<'publishToStoreTopic'>, @Req() { body }: FastifyRequest) {
    return this.store.publish(topic, type, bytesOf(body))
  }

  @Operation('subscribeToStoreTopics')
  async subscribe(
    @Query() { path, after }: QueryOf<'subscribeToStoreTopics'>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const stream = new StoreStream(request, reply)
    const subscription = await this.store.subscribe(path, lastEventOf(request, after), stream)
    stream.open(() => subscription.close())
  }
}

/** The body as it comes. Throws 415. */
function bytesOf(body: unknown): Readable {
  if (body instanceof Readable) return body
  throw new Problem(
    415,
    'Send the bytes as application/octet-stream, and name their media type in the parameter type.',
  )
}
