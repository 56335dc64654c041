import { Module } from '@nestjs/common'
import { BoardsController } from './boards.controller.ts'
import { BoardsService } from './boards.service.ts'
import { FabricController } from './fabric.controller.ts'
import { FabricService } from './fabric.service.ts'

@Module({
  controllers: [FabricController, BoardsController],
  providers: [FabricService, BoardsService],
  exports: [BoardsService],
})
export class FabricModule {}
