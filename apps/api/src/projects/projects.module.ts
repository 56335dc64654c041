import { Module } from '@nestjs/common'
import { ChecksController } from '../checks/checks.controller.ts'
import { ChecksModule } from '../checks/checks.module.ts'
import { ExamplesModule } from '../examples/examples.module.ts'
import { ProjectsController } from './projects.controller.ts'
import { ProjectsRepository } from './projects.repository.ts'
import { ProjectsService } from './projects.service.ts'

/** `ChecksController` stands here because a check may name a project, while projects themselves use the checks. */
@Module({
  imports: [ChecksModule, ExamplesModule],
  controllers: [ProjectsController, ChecksController],
  providers: [ProjectsService, ProjectsRepository],
  exports: [ProjectsService, ProjectsRepository],
})
export class ProjectsModule {}
