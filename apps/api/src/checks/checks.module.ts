import { Module } from '@nestjs/common'
import { ChecksService } from './checks.service.ts'

@Module({ providers: [ChecksService], exports: [ChecksService] })
export class ChecksModule {}
