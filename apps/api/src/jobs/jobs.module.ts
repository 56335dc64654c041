import { Global, Module } from '@nestjs/common'
import { JobsRepository } from './jobs.repository.ts'
import { JobsService } from './jobs.service.ts'

@Global()
@Module({ providers: [JobsService, JobsRepository], exports: [JobsService] })
export class JobsModule {}
