import { Module } from '@nestjs/common'
import { AccessKeysModule } from '../access-keys/access-keys.module.ts'
import { StoreController } from './store.controller.ts'
import { StoreService } from './store.service.ts'

@Module({ imports: [AccessKeysModule], controllers: [StoreController], providers: [StoreService] })
export class StoreModule {}
