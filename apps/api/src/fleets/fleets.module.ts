import { Module } from '@nestjs/common'
import { FabricModule } from '../fabric/fabric.module.ts'
import { ProjectsModule } from '../projects/projects.module.ts'
import { FleetsController } from './fleets.controller.ts'
import { FleetsService } from './fleets.service.ts'

@Module({
  imports: [FabricModule, ProjectsModule],
  controllers: [FleetsController],
  providers: [FleetsService],
  exports: [FleetsService],
})
export class FleetsModule {}
