import { Module } from '@nestjs/common'
import { ChecksModule } from '../checks/checks.module.ts'
import { DeploymentsModule } from '../deployments/deployments.module.ts'
import { ProjectsModule } from '../projects/projects.module.ts'
import { RunsModule } from '../runs/runs.module.ts'
import { VersionsModule } from '../versions/versions.module.ts'
import { ProfilesController } from './profiles.controller.ts'
import { ProfilesService } from './profiles.service.ts'

@Module({
  imports: [ProjectsModule, VersionsModule, ChecksModule, DeploymentsModule, RunsModule],
  controllers: [ProfilesController],
  providers: [ProfilesService],
})
export class ProfilesModule {}
