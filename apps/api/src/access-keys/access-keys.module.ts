import { Module } from '@nestjs/common'
import { AccessKeysController } from './access-keys.controller.ts'
import { AccessKeysRepository } from './access-keys.repository.ts'
import { AccessKeysService } from './access-keys.service.ts'

@Module({
  controllers: [AccessKeysController],
  providers: [AccessKeysService, AccessKeysRepository],
  exports: [AccessKeysService],
})
export class AccessKeysModule {}
