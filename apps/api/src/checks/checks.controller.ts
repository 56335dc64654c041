import { Body, Controller } from '@nestjs/common'
import { type AnswerOf, type BodyOf, Operation } from '../common/contract.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { ChecksService } from './checks.service.ts'

@Controller()
export class ChecksController {
  private readonly checks: ChecksService
  private readonly projects: ProjectsService

  constructor(checks: ChecksService, projects: ProjectsService) {
    this.checks = checks
    this.projects = projects
  }

  @Operation('check')
  async check(@Body() { text, project }: BodyOf<'check'>): Promise<AnswerOf<'check'>> {
    if (project !== undefined) await this.projects.get(project)
    return { diagnostics: (await this.checks.check(text, project)).diagnostics }
  }
}
