import { Module } from '@nestjs/common'
import { AccessKeysModule } from '../access-keys/access-keys.module.ts'
import { AuthController } from './auth.controller.ts'
import { AuthService } from './auth.service.ts'

@Module({
  imports: [AccessKeysModule],
  controllers: [AuthController],
  providers: [AuthService],
  exports: [AuthService],
})
export class AuthModule {}
