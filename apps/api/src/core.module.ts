import type { Target } from '@hivemind/deploy'
import { type DynamicModule, Module } from '@nestjs/common'
import { CONFIG, type Config } from './config/config.ts'
import { Database } from './database/database.ts'
import { TARGET } from './deployments/target.ts'
import { OpenedStore } from './storage/opened-store.ts'

@Module({})
class CoreModule {}

/** What was made before the modules and is there for all of them. */
export const coreModule = (
  config: Config,
  database: Database,
  store: OpenedStore,
  target: Target,
): DynamicModule => ({
  module: CoreModule,
  global: true,
  providers: [
    { provide: CONFIG, useValue: config },
    { provide: Database, useValue: database },
    { provide: OpenedStore, useValue: store },
    { provide: TARGET, useValue: target },
  ],
  exports: [CONFIG, Database, OpenedStore, TARGET],
})
