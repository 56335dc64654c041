import { Module } from '@nestjs/common'
import { AccessKeysModule } from '../access-keys/access-keys.module.ts'
import { AuthController } from './auth.controller.ts'
import { AuthService } from './auth.service.ts'
import { SessionsRepository } from './sessions.repository.ts'

@Module({
  imports: [AccessKeysModule],
  controllers: [AuthController],
  providers: [AuthService, SessionsRepository],
  exports: [AuthService],
})
export class AuthModule {}
