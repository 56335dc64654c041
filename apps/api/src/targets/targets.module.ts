import { Module } from '@nestjs/common'
import { TargetsController } from './targets.controller.ts'
import { TargetsRepository } from './targets.repository.ts'
import { TargetsService } from './targets.service.ts'

@Module({
  controllers: [TargetsController],
  providers: [TargetsService, TargetsRepository],
  exports: [TargetsService],
})
export class TargetsModule {}
