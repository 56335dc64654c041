import { Controller, Query, Req, Res } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { principalOf } from '../auth/principal.ts'
import { Operation, type QueryOf } from '../common/contract.ts'
import { invalid } from '../common/problem.ts'
import { EventsService } from './events.service.ts'

const TOPIC = /^(project|run|job):[a-z0-9][a-z0-9-]{0,63}$/

@Controller()
export class EventsController {
  private readonly events: EventsService

  constructor(events: EventsService) {
    this.events = events
  }

  @Operation('events')
  stream(
    @Query() { topics, after }: QueryOf<'events'>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const wanted = topics.split(',')
    const unknown = wanted.find((topic) => !TOPIC.test(topic))
    if (unknown !== undefined)
      throw invalid(
        'topics',
        `'${unknown}' is no topic; give 'project:ID', 'run:ID' or 'job:ID', separated by commas`,
      )
    // A browser that connects again by itself sends the header; it is newer than the address.
    const header = request.headers['last-event-id']
    const resume = typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : after
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    })
    request.raw.socket.setNoDelay(true)
    raw.on('close', () => this.events.remove(raw))
    raw.on('error', () => this.events.remove(raw))
    const ended = principalOf(request)?.ended
    const end = () => {
      this.events.remove(raw)
      raw.end()
    }
    ended?.addEventListener('abort', end, { once: true })
    raw.on('close', () => ended?.removeEventListener('abort', end))
    void this.events.add(raw, new Set(wanted), resume)
    if (ended?.aborted) end()
  }
}
