import { Module } from '@nestjs/common'
import { ChecksModule } from '../checks/checks.module.ts'
import { ProjectReader } from '../projects/project-reader.ts'
import { ProjectsModule } from '../projects/projects.module.ts'
import { VersionsController } from './versions.controller.ts'
import { VersionsRepository } from './versions.repository.ts'
import { VersionsService } from './versions.service.ts'

@Module({
  imports: [ProjectsModule, ChecksModule],
  controllers: [VersionsController],
  providers: [VersionsService, VersionsRepository, ProjectReader],
  exports: [VersionsService, ProjectReader],
})
export class VersionsModule {}
