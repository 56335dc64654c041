import { Controller, Res } from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { Operation } from '../common/contract.ts'
import { MetricsService } from './metrics.service.ts'

@Controller()
export class MetricsController {
  private readonly metrics: MetricsService

  constructor(metrics: MetricsService) {
    this.metrics = metrics
  }

  @Operation('metrics')
  async read(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.header('Content-Type', this.metrics.contentType)
    return this.metrics.text()
  }
}
