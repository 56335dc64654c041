import { Module } from '@nestjs/common'
import { ComputingService } from './computing.service.ts'

@Module({ providers: [ComputingService], exports: [ComputingService] })
export class ComputingModule {}
