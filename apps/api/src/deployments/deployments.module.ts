import { Module } from '@nestjs/common'
import { ExamplesModule } from '../examples/examples.module.ts'
import { ProjectsModule } from '../projects/projects.module.ts'
import { VersionsModule } from '../versions/versions.module.ts'
import { DeploymentsController } from './deployments.controller.ts'
import { DeploymentsRepository } from './deployments.repository.ts'
import { DeploymentsService } from './deployments.service.ts'

@Module({
  imports: [ProjectsModule, VersionsModule, ExamplesModule],
  controllers: [DeploymentsController],
  providers: [DeploymentsService, DeploymentsRepository],
  exports: [DeploymentsService],
})
export class DeploymentsModule {}
