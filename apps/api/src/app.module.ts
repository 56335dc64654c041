import type { Target } from '@hivemind/deploy'
import { type DynamicModule, Module } from '@nestjs/common'
import { AccessKeysModule } from './access-keys/access-keys.module.ts'
import { AuthModule } from './auth/auth.module.ts'
import type { Config } from './config/config.ts'
import { coreModule } from './core.module.ts'
import type { Database } from './database/database.ts'
import { DeploymentsModule } from './deployments/deployments.module.ts'
import { DevicesModule } from './devices/devices.module.ts'
import { EventsModule } from './events/events.module.ts'
import { ExamplesModule } from './examples/examples.module.ts'
import { ExplorationsModule } from './explorations/explorations.module.ts'
import { FabricModule } from './fabric/fabric.module.ts'
import { FilesModule } from './files/files.module.ts'
import { FleetsModule } from './fleets/fleets.module.ts'
import { HealthModule } from './health/health.module.ts'
import { JobsModule } from './jobs/jobs.module.ts'
import { MetricsModule } from './metrics/metrics.module.ts'
import { NetworkFunctionsModule } from './network-functions/network-functions.module.ts'
import { ProfilesModule } from './profiles/profiles.module.ts'
import { ProjectsModule } from './projects/projects.module.ts'
import { RunsModule } from './runs/runs.module.ts'
import type { OpenedStore } from './storage/opened-store.ts'
import { StorageModule } from './storage/storage.module.ts'
import { StoreModule } from './store/store.module.ts'
import { TargetsModule } from './targets/targets.module.ts'
import { VersionsModule } from './versions/versions.module.ts'
import { WebModule } from './web/web.module.ts'

@Module({})
class AppModule {}

/** One module for each noun a user sees, over what they share. */
export const appModule = (
  config: Config,
  database: Database,
  store: OpenedStore,
  target: Target,
): DynamicModule => ({
  module: AppModule,
  imports: [
    coreModule(config, database, store, target),
    StorageModule,
    EventsModule,
    JobsModule,
    AccessKeysModule,
    AuthModule,
    HealthModule,
    ExamplesModule,
    FleetsModule,
    ProjectsModule,
    VersionsModule,
    FilesModule,
    ProfilesModule,
    ExplorationsModule,
    DevicesModule,
    FabricModule,
    NetworkFunctionsModule,
    TargetsModule,
    DeploymentsModule,
    RunsModule,
    StoreModule,
    MetricsModule,
    WebModule,
  ],
})
