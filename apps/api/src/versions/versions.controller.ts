import { Body, Controller, Param, Query, Req, Res } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { principalOf } from '../auth/principal.ts'
import { type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { VersionsService } from './versions.service.ts'

const authorOf = (request: FastifyRequest) => principalOf(request)?.name ?? ''

@Controller()
export class VersionsController {
  private readonly versions: VersionsService

  constructor(versions: VersionsService) {
    this.versions = versions
  }

  @Operation('listVersions')
  list(@Param('project') project: string, @Query() page: QueryOf<'listVersions'>) {
    return this.versions.list(project, page)
  }

  @Operation('getVersion')
  get(@Param('project') project: string, @Param('version') version: number) {
    return this.versions.get(project, version)
  }

  @Operation('saveVersion')
  save(
    @Param('project') project: string,
    @Body() body: BodyOf<'saveVersion'>,
    @Req() request: FastifyRequest,
  ) {
    return this.versions.save(project, body, authorOf(request))
  }

  @Operation('rollBack')
  rollBack(
    @Param('project') project: string,
    @Param('version') version: number,
    @Body() body: BodyOf<'rollBack'>,
    @Req() request: FastifyRequest,
  ) {
    return this.versions.rollBack(project, version, body, authorOf(request))
  }

  @Operation('compareVersions')
  changes(
    @Param('project') project: string,
    @Param('version') version: number,
    @Query() { from }: QueryOf<'compareVersions'>,
  ) {
    return this.versions.changes(project, version, from)
  }

  @Operation('getVersionFile')
  async file(
    @Param('project') project: string,
    @Param('version') version: number,
    @Query() { path }: QueryOf<'getVersionFile'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const bytes = await this.versions.file(project, version, path)
    await reply.type('application/octet-stream').send(bytes)
  }

  @Operation('unsavedFiles')
  unsaved(@Param('project') project: string) {
    return this.versions.unsaved(project)
  }
}
