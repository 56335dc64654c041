import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { VersionsService } from './versions.service.ts'

@Controller()
export class VersionsController {
  private readonly versions: VersionsService

  constructor(versions: VersionsService) {
    this.versions = versions
  }

  @Operation('listVersions')
  list(@Param('project') project: string) {
    return this.versions.list(project)
  }

  @Operation('getVersion')
  get(@Param('project') project: string, @Param('version') version: number) {
    return this.versions.get(project, version)
  }

  @Operation('saveVersion')
  save(@Param('project') project: string, @Body() body: BodyOf<'saveVersion'>) {
    return this.versions.save(project, body)
  }
}
