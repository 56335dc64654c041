import path from 'node:path'
import { BlobStore } from '@hivemind/values/node'
import { Global, Module } from '@nestjs/common'
import { CONFIG, type Config } from '../config/config.ts'
import { Backups } from './backups.ts'
import { Checkouts } from './checkouts.ts'
import { Housekeeping } from './housekeeping.ts'
import { OwnFleets } from './own-fleets.ts'
import { ProjectFolders } from './project-folders.ts'
import { Snapshots } from './snapshots.ts'

const blobStore = {
  provide: BlobStore,
  inject: [CONFIG],
  useFactory: (config: Config) => new BlobStore(path.join(config.dataDir, 'blobs')),
}

@Global()
@Module({
  providers: [blobStore, ProjectFolders, OwnFleets, Snapshots, Checkouts, Housekeeping, Backups],
  exports: [BlobStore, ProjectFolders, OwnFleets, Snapshots, Checkouts, Housekeeping, Backups],
})
export class StorageModule {}
