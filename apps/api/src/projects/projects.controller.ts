import { Body, Controller, Param } from '@nestjs/common'
import { type BodyOf, Operation } from '../common/contract.ts'
import { ProjectsService } from './projects.service.ts'

@Controller()
export class ProjectsController {
  private readonly projects: ProjectsService

  constructor(projects: ProjectsService) {
    this.projects = projects
  }

  @Operation('listProjects')
  list() {
    return this.projects.list()
  }

  @Operation('createProject')
  create(@Body() body: BodyOf<'createProject'>) {
    return this.projects.create(body)
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
