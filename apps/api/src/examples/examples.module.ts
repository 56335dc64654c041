import { Module } from '@nestjs/common'
import { ChecksModule } from '../checks/checks.module.ts'
import { ExamplesController } from './examples.controller.ts'
import { ExamplesService } from './examples.service.ts'

@Module({
  imports: [ChecksModule],
  controllers: [ExamplesController],
  providers: [ExamplesService],
  exports: [ExamplesService],
})
export class ExamplesModule {}
