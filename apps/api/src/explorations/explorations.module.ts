import { Module } from '@nestjs/common'
import { ChecksModule } from '../checks/checks.module.ts'
import { ExamplesModule } from '../examples/examples.module.ts'
import { FleetsModule } from '../fleets/fleets.module.ts'
import { ProjectsModule } from '../projects/projects.module.ts'
import { VersionsModule } from '../versions/versions.module.ts'
import { ExplorationsController } from './explorations.controller.ts'
import { ExplorationsService } from './explorations.service.ts'

@Module({
  imports: [ProjectsModule, VersionsModule, ChecksModule, ExamplesModule, FleetsModule],
  controllers: [ExplorationsController],
  providers: [ExplorationsService],
})
export class ExplorationsModule {}
