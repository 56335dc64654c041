import { Module } from '@nestjs/common'
import { ChecksModule } from '../checks/checks.module.ts'
import { ProjectsModule } from '../projects/projects.module.ts'
import { VersionsModule } from '../versions/versions.module.ts'
import { ProfilesController } from './profiles.controller.ts'
import { ProfilesService } from './profiles.service.ts'

@Module({
  imports: [ProjectsModule, VersionsModule, ChecksModule],
  controllers: [ProfilesController],
  providers: [ProfilesService],
})
export class ProfilesModule {}
