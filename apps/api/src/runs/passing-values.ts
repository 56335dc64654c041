/** Removes what interrupted runs left in the store of values on their way between tasks. */
import { isPassingPool, passingPoolOf, runOfPool } from '@hivemind/synthesis'
import { Injectable } from '@nestjs/common'
import { log } from '../common/log.ts'
import { OpenedStore, RUN_POOLS } from '../storage/opened-store.ts'
import { RunsRepository } from './runs.repository.ts'

@Injectable()
export class PassingValues {
  private readonly opened: OpenedStore
  private readonly runs: RunsRepository

  constructor(opened: OpenedStore, runs: RunsRepository) {
    this.opened = opened
    this.runs = runs
  }

  /**
   * Drops the pools of runs that are over. Runs that the database does not know are those of another service that shares the
   * store. Never rejects: what could not be dropped is left to the next start.
   */
  async sweep(): Promise<void> {
    try {
      const pools = await this.opened.store.listPools(RUN_POOLS)
      const passing = pools.map(({ path }) => path.slice(RUN_POOLS.length + 1)).filter(isPassingPool)
      const over = await this.runs.over(passing.map(runOfPool))
      for (const run of over) await this.opened.values.drop(passingPoolOf(run))
      if (over.length > 0)
        log.info({ runs: over }, `Removed what ${over.length} interrupted runs left in the store.`)
    } catch (error) {
      log.warn({ err: error }, 'What interrupted runs left in the store could not be removed.')
    }
  }
}
