import { Module } from '@nestjs/common'
import { FabricController } from './fabric.controller.ts'
import { FabricService } from './fabric.service.ts'

@Module({ controllers: [FabricController], providers: [FabricService] })
export class FabricModule {}
