/** Runs that were under way when an earlier service ended: they go on, or have failed. */
import { type RunEvent, RunFold, SpanStatistics } from '@hivemind/orchestrator'
import { Injectable } from '@nestjs/common'
import { log } from '../common/log.ts'
import { DeploymentsService } from '../deployments/deployments.service.ts'
import { CoreJournals } from './core-journal.ts'
import { RunTraces } from './run-traces.service.ts'
import { type RunSummaryRow, RunsRepository } from './runs.repository.ts'
import { INTERRUPTED, RunsService } from './runs.service.ts'

@Injectable()
export class LeftRuns {
  private readonly repository: RunsRepository
  private readonly journals: CoreJournals
  private readonly deployments: DeploymentsService
  private readonly runs: RunsService
  private readonly traces: RunTraces

  constructor(
    repository: RunsRepository,
    journals: CoreJournals,
    deployments: DeploymentsService,
    runs: RunsService,
    traces: RunTraces,
  ) {
    this.repository = repository
    this.journals = journals
    this.deployments = deployments
    this.runs = runs
    this.traces = traces
  }

  /** Those that cannot go on have failed; whoever listens again is told. Returns them by deployment. */
  async failHopeless(): Promise<ReadonlyMap<string, string[]>> {
    const byDeployment = new Map<string, string[]>()
    const left = await this.repository.unfinished()
    for (const row of left) {
      if (this.journals.has(row.id)) continue
      await this.fail(row)
      byDeployment.set(row.deployment_id, [...(byDeployment.get(row.deployment_id) ?? []), row.id])
    }
    this.journals.keepOnly(new Set(left.map(({ id }) => id)))
    return byDeployment
  }

  /** The others go on, once deployments have been attached to again. */
  async goOn(): Promise<void> {
    for (const row of await this.repository.unfinished())
      try {
        await this.resume(row)
      } catch (error) {
        log.warn({ run: row.id, err: error }, 'A run could not go on.')
        await this.fail(row)
        await this.endOnDevices(row)
      }
  }

  private async resume(row: RunSummaryRow): Promise<void> {
    const { deployment } = await this.deployments.running(row.deployment_id)
    const from = await this.runs.partFrom(row.project_id, deployment, row.request.from)
    const fold = new RunFold()
    for (const event of await this.repository.events(row.id)) fold.apply(event)
    const statistics = new SpanStatistics()
    for await (const { span } of this.repository.allSpans(row.id)) statistics.add(span)
    await this.repository.forgetOutputs(row.id)
    log.info({ run: row.id, project: row.project_id }, 'A run of the service before goes on.')
    const resume = { journal: this.journals.events(row.id), reported: this.reported(row.id) }
    this.runs.begin(row, deployment, { ...(from && { from }), fold, statistics, resume })
  }

  /** Devices that still wait for the run hear that it is over, where their deployment goes on. */
  private async endOnDevices(row: RunSummaryRow): Promise<void> {
    const running = await this.deployments.running(row.deployment_id).catch(() => undefined)
    running?.deployment.forgetRun(row.id)
  }

  /** What a run has reported of its invocations and devices. */
  private async *reported(run: string): AsyncGenerator<RunEvent> {
    for (const event of await this.repository.events(run)) if (event.type === 'device') yield event
    for await (const { span } of this.repository.allSpans(run)) yield { type: 'span', at: span.endedAt, span }
  }

  private async fail(row: RunSummaryRow): Promise<void> {
    const ended = { state: 'failed' as const, message: INTERRUPTED, ended_at: new Date() }
    await this.repository.fail(row.id, ended.message, ended.ended_at)
    this.journals.remove(row.id)
    this.runs.publish({ row: { ...row, ...ended } })
    this.traces.export(row.id, row.request.traceparent)
  }
}
