import { Body, Controller, Param, Query, Req } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { principalOf } from '../auth/principal.ts'
import { type BodyOf, Operation, type QueryOf } from '../common/contract.ts'
import { ProjectsService } from './projects.service.ts'

@Controller()
export class ProjectsController {
  private readonly projects: ProjectsService

  constructor(projects: ProjectsService) {
    this.projects = projects
  }

  @Operation('listProjects')
  list(@Query() page: QueryOf<'listProjects'>) {
    return this.projects.list(page)
  }

  @Operation('createProject')
  create(@Body() body: BodyOf<'createProject'>, @Req() request: FastifyRequest) {
    return this.projects.create(body, principalOf(request)?.name ?? '')
  }

  @Operation('getProject')
  get(@Param('project') project: string) {
    return this.projects.get(project)
  }

  @Operation('renameProject')
  rename(@Param('project') project: string, @Body() { name }: BodyOf<'renameProject'>) {
    return this.projects.rename(project, name)
  }

  @Operation('deleteProject')
  delete(@Param('project') project: string) {
    return this.projects.delete(project)
  }
}
