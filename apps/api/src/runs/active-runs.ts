/** The runs under way, as they are now. */
import type { RunFold, SpanStatistics } from '@hivemind/orchestrator'
import { Injectable } from '@nestjs/common'
import type { CoreJournal } from './core-journal.ts'
import type { RunJournal } from './run-journal.ts'
import type { RunSummaryRow } from './runs.repository.ts'

export interface ActiveRun {
  row: RunSummaryRow
  fold: RunFold
  statistics: SpanStatistics
  /** Id of the newest event that the fold contains. */
  lastEvent: number
  /** Set while changed figures wait to be sent. */
  statisticsTimer?: NodeJS.Timeout | undefined
  /** What it reports, on its way to the database. */
  journal: RunJournal
  /** What it goes by, so that it can go on after a kill. */
  core: CoreJournal
  controller: AbortController
  ended: Promise<void>
  /** Why the service itself ends it. */
  reason?: string
}

/** The runs under way by their ids: who performs them puts them in, who reads them finds them here. */
@Injectable()
export class ActiveRuns extends Map<string, ActiveRun> {}
