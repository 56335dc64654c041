import path from 'node:path'
import { FolderDataPort } from '@hivemind/values/node'
import { Module } from '@nestjs/common'
import { ChecksModule } from '../checks/checks.module.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { DeploymentsModule } from '../deployments/deployments.module.ts'
import { ProjectsModule } from '../projects/projects.module.ts'
import { OpenedStore } from '../storage/opened-store.ts'
import { VersionsModule } from '../versions/versions.module.ts'
import { ActiveRuns } from './active-runs.ts'
import { ComparisonService } from './comparison.service.ts'
import { CoreJournals } from './core-journal.ts'
import { LeftRuns } from './left-runs.ts'
import { PassingValues } from './passing-values.ts'
import { ReportsService } from './reports.service.ts'
import { RunReader } from './run-reader.service.ts'
import { RUN_VALUES, runValues } from './run-values.ts'
import { RunsController } from './runs.controller.ts'
import { RunsRepository } from './runs.repository.ts'
import { RunsService } from './runs.service.ts'

@Module({
  imports: [ProjectsModule, VersionsModule, DeploymentsModule, ChecksModule],
  controllers: [RunsController],
  providers: [
    RunsService,
    RunReader,
    ActiveRuns,
    RunsRepository,
    ReportsService,
    ComparisonService,
    PassingValues,
    LeftRuns,
    {
      provide: CoreJournals,
      inject: [CONFIG],
      useFactory: ({ dataDir }: Config) => new CoreJournals(dataDir),
    },
    {
      provide: RUN_VALUES,
      inject: [CONFIG, OpenedStore],
      useFactory: (config: Config, { values }: OpenedStore) =>
        runValues(
          [
            values,
            // Runs before there was a store kept their values in files.
            new FolderDataPort(path.join(config.dataDir, 'local/values')),
          ],
          (pool, key) => values.newest(pool, key),
        ),
    },
  ],
  exports: [RunsService, RunReader],
})
export class RunsModule {}
