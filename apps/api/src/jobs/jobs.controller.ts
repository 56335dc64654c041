import { Controller, Param, Query, Res } from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { Operation, type QueryOf } from '../common/contract.ts'
import { JobsService } from './jobs.service.ts'

@Controller()
export class JobsController {
  private readonly jobs: JobsService

  constructor(jobs: JobsService) {
    this.jobs = jobs
  }

  @Operation('listJobs')
  list(@Query() query: QueryOf<'listJobs'>) {
    return this.jobs.records(query)
  }

  @Operation('getJob')
  get(@Param('job') job: string) {
    return this.jobs.record(job)
  }

  @Operation('getJobLog')
  log(@Param('job') job: string, @Query() query: QueryOf<'getJobLog'>) {
    return this.jobs.log(job, query)
  }

  @Operation('getArtefact')
  async artefact(
    @Param('job') job: string,
    @Query() { name }: QueryOf<'getArtefact'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { type, bytes } = await this.jobs.artefact(job, name)
    await reply
      .header('Content-Disposition', `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"`)
      .header('Content-Security-Policy', "default-src 'none'; sandbox")
      .type(type)
      .send(bytes)
  }

  @Operation('cancelJob')
  cancel(@Param('job') job: string) {
    return this.jobs.cancel(job)
  }
}
