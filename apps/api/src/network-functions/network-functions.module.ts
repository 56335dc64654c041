import { Module } from '@nestjs/common'
import { NetworkFunctionsController } from './network-functions.controller.ts'
import { NetworkFunctionsService } from './network-functions.service.ts'

@Module({ controllers: [NetworkFunctionsController], providers: [NetworkFunctionsService] })
export class NetworkFunctionsModule {}
