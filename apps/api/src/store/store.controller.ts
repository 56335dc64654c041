import { Readable } from 'node:stream'
import type { ObjectInfo, Watch } from '@hivemind/store'
import { Body, Controller, Query, Req, Res } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { principalOf } from '../auth/principal.ts'
import { type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { Problem } from '../common/problem.ts'
import { StoreService } from './store.service.ts'

const HEARTBEAT_MS = 15_000
/** A watcher that reads so slowly is cut off; it comes back with the last version it saw. */
const MAX_WAITING_BYTES = 8_000_000

const RESET = 'event: reset\ndata: {}\n\n'

@Controller()
export class StoreController {
  private readonly store: StoreService

  constructor(store: StoreService) {
    this.store = store
  }

  @Operation('listStorePools')
  pools(@Query() { prefix }: QueryOf<'listStorePools'>) {
    return this.store.pools(prefix)
  }

  @Operation('createStorePool')
  createPool(@Body() { path, ...options }: BodyOf<'createStorePool'>) {
    return this.store.createPool(path, options)
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
    const { body } = request
    if (!(body instanceof Readable))
      throw new Problem(
        415,
        'Send the bytes as application/octet-stream, and name their media type in the parameter type.',
      )
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
    const { raw } = reply
    // A browser that connects again by itself sends the header; it is newer than the address.
    const header = request.headers['last-event-id']
    const resume = typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : after
    const send = (text: string) => {
      if (raw.writableLength > MAX_WAITING_BYTES) raw.destroy()
      else raw.write(text)
    }
    // Written once the watch is there: an unknown pool is a problem and not an empty stream.
    let head: string[] | null = []
    const watch: Watch = await this.store.watch(prefix, resume, (change) => {
      const text = change
        ? `id: ${change.version}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`
        : RESET
      if (head) head.push(text)
      else send(text)
    })
    reply.hijack()
    if (raw.destroyed) return watch.close()
    raw.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    })
    request.raw.socket.setNoDelay(true)
    const heartbeat = setInterval(() => send(': alive\n\n'), HEARTBEAT_MS)
    const ended = principalOf(request)?.ended
    const end = () => raw.end()
    ended?.addEventListener('abort', end, { once: true })
    raw.on('error', () => raw.destroy())
    raw.on('close', () => {
      clearInterval(heartbeat)
      watch.close()
      ended?.removeEventListener('abort', end)
    })
    raw.write(': connected\n\n')
    for (const text of head) raw.write(text)
    head = null
  }
}
