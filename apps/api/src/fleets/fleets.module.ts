import { Module } from '@nestjs/common'
import { ProjectsModule } from '../projects/projects.module.ts'
import { FleetsController } from './fleets.controller.ts'
import { FleetsService } from './fleets.service.ts'

@Module({
  imports: [ProjectsModule],
  controllers: [FleetsController],
  providers: [FleetsService],
  exports: [FleetsService],
})
export class FleetsModule {}
