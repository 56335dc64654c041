import { Module } from '@nestjs/common'
import { FleetsController } from './fleets.controller.ts'

@Module({ controllers: [FleetsController] })
export class FleetsModule {}
