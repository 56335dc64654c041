import { Module } from '@nestjs/common'
import { WebController } from './web.controller.ts'

@Module({ controllers: [WebController] })
export class WebModule {}
