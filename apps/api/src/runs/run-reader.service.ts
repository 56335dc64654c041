/** What runs are and were: lists, single runs, spans and outputs, of runs under way as of those that have ended. */
import {
  type FoldedRun,
  MAX_OUTPUTS,
  RunFold,
  type RunOutput,
  type RunSummary,
  type Span,
  SpanStatistics,
  type TaskStatistics,
} from '@hivemind/orchestrator'
import { Inject, Injectable } from '@nestjs/common'
import type { QueryOf } from '../common/contract.ts'
import { notFound } from '../common/problem.ts'
import type { Noun } from '../database/tables.ts'
import { EventsService } from '../events/events.service.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { type ActiveRun, ActiveRuns } from './active-runs.ts'
import { type RawValue, RUN_VALUES, type RunValues, rawValue } from './run-values.ts'
import { type ListedRunRow, type RunSummaryRow, RunsRepository } from './runs.repository.ts'

/** Spans of a run that are held in memory at most, where a whole run is measured. */
const MAX_SPANS_READ = 50_000

/** A run as the service tells of it. */
export const toRecord = (row: RunSummaryRow): Noun<'RunRecord'> => ({
  id: row.id,
  project: row.project_id,
  deployment: row.deployment_id,
  request: row.request,
  state: row.state,
  message: row.message,
  createdAt: row.created_at.toISOString(),
  ...(row.ended_at ? { endedAt: row.ended_at.toISOString() } : {}),
})

/** A run in a list. One under way is as it is now, not as last written. */
function toListing(row: ListedRunRow, now: ActiveRun | undefined): Noun<'RunListing'> {
  const counted = now && {
    invocations: now.statistics.count,
    failed: now.statistics.tasks().reduce((sum, task) => sum + task.failed, 0),
  }
  const { invocations, failed } = counted ?? row
  const [from, to] = [row.started_ms ?? 0, row.ended_ms ?? 0]
  return {
    ...toRecord(now?.row ?? row),
    version: row.version,
    ...(row.target !== null && { target: row.target }),
    ...(from > 0 && to > 0 && { tookMs: to - from }),
    ...(invocations !== null && { invocations, failed: failed ?? 0 }),
  }
}

/** What of a fold is the result of a run. */
export function resultOf({ logs: _, devices: __, outputCount: ___, ...result }: FoldedRun): RunSummary {
  return result
}

/** Tells of runs. */
@Injectable()
export class RunReader {
  private readonly repository: RunsRepository
  private readonly projects: ProjectsService
  private readonly events: EventsService
  private readonly values: RunValues
  private readonly active: ActiveRuns

  constructor(
    repository: RunsRepository,
    projects: ProjectsService,
    events: EventsService,
    active: ActiveRuns,
    @Inject(RUN_VALUES) values: RunValues,
  ) {
    this.repository = repository
    this.projects = projects
    this.events = events
    this.active = active
    this.values = values
  }

  async list(project: string, query: QueryOf<'listRuns'>): Promise<Noun<'RunListing'>[]> {
    await this.projects.row(project)
    const rows = await this.repository.list(project, query)
    return rows.map((row) => toListing(row, this.active.get(row.id)))
  }

  /** The runs of a deployment that succeeded, newest first; those of a part of the workflow are left out. */
  async succeeded(deployment: string): Promise<Noun<'RunRecord'>[]> {
    const rows = await this.repository.succeeded(deployment)
    return rows.filter(({ request }) => !request.from).map(toRecord)
  }

  /** Throws 404. A run under way is answered with all it has reported so far. */
  async get(id: string): Promise<Noun<'RunDetail'>> {
    const now = this.active.get(id)
    if (now)
      return this.detail(toRecord(now.row), now.fold.run(), {
        statistics: now.statistics.tasks(),
        spanCount: now.statistics.count,
        lastEvent: now.lastEvent,
      })
    const lastEvent = this.events.last
    const row = await this.repository.find(id)
    if (!row) throw notFound('run', id)
    const fold = new RunFold()
    for (const event of await this.repository.events(id)) fold.apply(event)
    const { outputs, count } = await this.repository.outputs(id, MAX_OUTPUTS)
    fold.end(row.result ?? { ...fold.run(), state: row.state, message: row.message })
    const folded = fold.run()
    return this.detail(
      toRecord(row),
      { ...folded, outputs, outputCount: count, ...(row.result ? { tasks: row.result.tasks } : {}) },
      { ...(await this.figures(row)), lastEvent },
    )
  }

  private detail(
    record: Noun<'RunRecord'>,
    folded: FoldedRun,
    rest: Pick<Noun<'RunDetail'>, 'statistics' | 'spanCount' | 'lastEvent'>,
  ): Noun<'RunDetail'> {
    const { logs, devices, outputCount } = folded
    return { ...record, result: resultOf(folded), outputCount, logs, devices, ...rest }
  }

  /** The figures kept with a run; of one that was cut short they are made from its spans, once. */
  private async figures(row: {
    id: string
    statistics: TaskStatistics[] | null
    span_count: number
  }): Promise<Noun<'RunStatistics'>> {
    if (row.statistics) return { statistics: row.statistics, spanCount: row.span_count }
    const statistics = new SpanStatistics()
    for await (const { span } of this.repository.allSpans(row.id)) statistics.add(span)
    const figures = { statistics: statistics.tasks(), spanCount: statistics.count }
    await this.repository.setFigures(row.id, figures.statistics, figures.spanCount)
    return figures
  }

  /** A page of spans, those under way included. Throws 404. */
  async spans(id: string, { after, limit, task, status }: QueryOf<'listSpans'>): Promise<Noun<'SpanPage'>> {
    await this.written(id)
    const page = await this.repository.spans(id, { after, limit, task, status })
    const next = page.length < limit ? undefined : page.at(-1)?.id
    return { spans: page.map(({ span }) => span), ...(next === undefined ? {} : { next }) }
  }

  /**
   * The spans of a whole run, to measure it. Of a run with more than `max` those of every so many-th item of each device,
   * and all of the whole swarm: an item is there with all of its invocations, or with none. Throws 404.
   */
  async measuredSpans(id: string, max = MAX_SPANS_READ): Promise<Span[]> {
    const run = await this.get(id)
    const everyItem = Math.ceil(run.spanCount / max)
    const spans: Span[] = []
    for await (const { span } of this.repository.allSpans(id, { everyItem })) spans.push(span)
    return spans
  }

  /** The whole value of an output. Throws 404. */
  async output(id: string, index: number): Promise<RawValue> {
    await this.written(id)
    const output = await this.repository.output(id, index)
    if (!output) throw notFound('output', index)
    return rawValue(this.values, id, index, output)
  }

  /** Every output of a run, in order of arrival. Throws 404. */
  async *outputs(id: string): AsyncGenerator<RunOutput> {
    await this.written(id)
    yield* this.repository.allOutputs(id)
  }

  /** Sees to it that what a run has reported can be read. Throws 404 without such a run. */
  private async written(id: string): Promise<void> {
    const now = this.active.get(id)
    if (now) await now.journal.flush()
    else if (!(await this.repository.find(id))) throw notFound('run', id)
  }
}
