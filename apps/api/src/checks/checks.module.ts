import { Module } from '@nestjs/common'
import { ComputingModule } from '../computing/computing.module.ts'
import { ChecksService } from './checks.service.ts'

@Module({ imports: [ComputingModule], providers: [ChecksService], exports: [ChecksService] })
export class ChecksModule {}
