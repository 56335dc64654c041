import { Global, Module } from '@nestjs/common'
import { ProjectFolders } from './project-folders.ts'

@Global()
@Module({ providers: [ProjectFolders], exports: [ProjectFolders] })
export class StorageModule {}
