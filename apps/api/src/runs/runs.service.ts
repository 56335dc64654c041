import type { Deployment, RunOptions } from '@hivemind/deploy'
import {
  type FoldedRun,
  isFinal,
  MAX_OUTPUTS,
  type RunEvent,
  RunFold,
  type RunResult,
  type RunSummary,
  type Span,
  SpanStatistics,
  type TaskStatistics,
} from '@hivemind/orchestrator'
import { inputsOf } from '@hivemind/workflow'
import { Inject, Injectable } from '@nestjs/common'
import type { BodyOf, QueryOf } from '../common/contract.ts'
import { log } from '../common/log.ts'
import { Places } from '../common/places.ts'
import { notFound, Problem } from '../common/problem.ts'
import { keepTrying } from '../common/storage-errors.ts'
import { newId, sentenceOf, storable } from '../common/text.ts'
import { CONFIG, type Config } from '../config/config.ts'
import type { Noun } from '../database/tables.ts'
import { DeploymentsService } from '../deployments/deployments.service.ts'
import { EventsService } from '../events/events.service.ts'
import { ProjectReader } from '../projects/project-reader.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { partFrom } from './from-run.ts'
import { replayRuns } from './replay.ts'
import { RunJournal } from './run-journal.ts'
import { type RawValue, RUN_VALUES, type RunValues, rawValue } from './run-values.ts'
import { type ListedRunRow, type RunSummaryRow, RunsRepository } from './runs.repository.ts'

/** Time a cancelled run gets to end, in ms; after it the undeployment ends it. */
const PATIENCE_MS = 3_000
const INTERRUPTED = 'The service stopped during the run; start it again.'

/** Figures of a run under way are sent this far apart, in ms. */
const STATISTICS_EVERY_MS = 500
/** Spans of a run that are held in memory at most, where a whole run is measured. */
const MAX_SPANS_READ = 50_000

interface ActiveRun {
  row: RunSummaryRow
  fold: RunFold
  statistics: SpanStatistics
  /** Id of the newest event that the fold contains. */
  lastEvent: number
  /** Set while changed figures wait to be sent. */
  statisticsTimer?: NodeJS.Timeout | undefined
  journal: RunJournal
  controller: AbortController
  ended: Promise<void>
  /** Why the service itself ends it. */
  reason?: string
}

const toRecord = (row: RunSummaryRow): Noun<'RunRecord'> => ({
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

/** Waits for `work`, but no longer than `ms`. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, patience])
  clearTimeout(timer)
}

/** What of a fold is the result of a run. */
function resultOf({ logs: _, devices: __, outputCount: ___, ...result }: FoldedRun): RunSummary {
  return result
}

@Injectable()
export class RunsService {
  private readonly repository: RunsRepository
  private readonly deployments: DeploymentsService
  private readonly projects: ProjectsService
  private readonly reader: ProjectReader
  private readonly events: EventsService
  private readonly values: RunValues
  private readonly places: Places
  private readonly active = new Map<string, ActiveRun>()
  private readonly stopping = new AbortController()

  constructor(
    repository: RunsRepository,
    deployments: DeploymentsService,
    projects: ProjectsService,
    reader: ProjectReader,
    events: EventsService,
    @Inject(RUN_VALUES) values: RunValues,
    @Inject(CONFIG) config: Config,
  ) {
    this.places = new Places(config.maxRuns)
    this.values = values
    events.addReplay(replayRuns(repository, async (run) => this.active.get(run)?.journal.flush()))
    this.repository = repository
    this.deployments = deployments
    this.projects = projects
    this.reader = reader
    this.events = events
  }

  /** Runs that an earlier service left have failed; whoever listens again is told. Returns them by deployment. */
  async failInterrupted(): Promise<ReadonlyMap<string, string[]>> {
    const byDeployment = new Map<string, string[]>()
    for (const row of await this.repository.failInterrupted(INTERRUPTED, new Date())) {
      this.publish({ row })
      byDeployment.set(row.deployment_id, [...(byDeployment.get(row.deployment_id) ?? []), row.id])
    }
    return byDeployment
  }

  async start(deploymentId: string, request: BodyOf<'startRun'>): Promise<Noun<'RunRecord'>> {
    const { row: deployed, deployment, workflow } = await this.deployments.running(deploymentId)
    const known = inputsOf(workflow)
    const unknown = Object.keys(request.inputs).filter((name) => !known.includes(name))
    if (unknown.length > 0)
      throw new Problem(
        400,
        `The workflow has no input '${unknown[0]}'; it has ${known.length > 0 ? known.join(', ') : 'none'}.`,
        unknown.map((name) => ({ field: `inputs.${name}`, message: 'is no input of the workflow' })),
      )
    const from = request.from && (await this.partFrom(deployed.project_id, deployment, request.from))
    const { project } = await this.reader.ready(deployed.project_id, deployed.request.version)
    const row: RunSummaryRow = {
      id: newId(),
      project_id: deployed.project_id,
      deployment_id: deploymentId,
      request: { ...request, inputs: { ...project.inputs, ...request.inputs } },
      state: 'queued',
      message: '',
      created_at: new Date(),
      ended_at: null,
    }
    await this.repository.add(row)
    const run: ActiveRun = {
      row,
      fold: new RunFold(),
      statistics: new SpanStatistics(),
      lastEvent: this.events.last,
      journal: new RunJournal(row.id, (batch) => this.repository.addEvents(row.id, batch)),
      controller: new AbortController(),
      ended: Promise.resolve(),
    }
    this.active.set(row.id, run)
    this.publish(run)
    const record = toRecord(row)
    run.ended = this.perform(run, deployment, from)
    return record
  }

  /** What a run from a task on takes from an earlier one. Throws 404 without such a run of the project, 400 when it cannot be. */
  private async partFrom(
    project: string,
    deployment: Deployment,
    from: NonNullable<BodyOf<'startRun'>['from']>,
  ): Promise<RunOptions['from']> {
    await this.written(from.run)
    const row = await this.repository.find(from.run)
    if (row?.project_id !== project) throw notFound('run', from.run)
    return partFrom(from, deployment, this.repository.allOutputs(from.run), this.values)
  }

  private async perform(run: ActiveRun, deployment: Deployment, from: RunOptions['from']): Promise<void> {
    const { row } = run
    let result: RunSummary
    let leave = (): void => {}
    try {
      leave = await this.place(run)
      const told = await deployment.run({
        run: row.id,
        inputs: row.request.inputs,
        // Of a run from a task on, what was recorded says how many there are.
        ...(from ? { from } : { itemsPerDevice: row.request.itemsPerDevice }),
        signal: run.controller.signal,
        onEvent: (event) => this.take(run, event),
        whenRoom: () => run.journal.whenRoom(),
      })
      this.takeUntold(run, told)
      result = told
    } catch (error) {
      const { state: _, ...soFar } = run.fold.run()
      result = { ...soFar, state: 'failed', message: sentenceOf(error), endedAt: Date.now() }
    }
    leave()
    if (run.reason !== undefined) result = { ...result, message: run.reason }
    if (!isFinal(result.state)) result = { ...result, state: 'failed' }
    run.fold.end(result)
    const end = { state: result.state, message: storable(result.message ?? ''), ended_at: new Date() }
    const show = () => {
      Object.assign(row, end)
      this.publishStatistics(run)
      this.publish(run)
    }
    log.info({ run: row.id, project: row.project_id, spans: run.statistics.count }, `Run ${end.state}.`)
    try {
      let attempts = 0
      await keepTrying(
        async () => {
          // Shown once it has been kept, so that whoever sees the end finds the whole result; it is shown from memory
          // while it cannot be kept.
          if (attempts++ === 1) show()
          await this.keepEnd(run, { ...row, ...end })
        },
        { what: `The result of run ${row.id}`, signal: this.stopping.signal },
      )
    } catch (error) {
      log.error({ run: row.id, err: error }, 'The result of a run could not be kept.')
    }
    this.active.delete(row.id)
    show()
  }

  /** Waits until the run may be under way; one that is cancelled meanwhile needs no place to end. */
  private async place(run: ActiveRun): Promise<() => void> {
    if (!this.places.full) return this.places.take(run.controller.signal)
    run.row.message = `Waiting: ${this.places.count} runs are under way, as many as this service has at once (HIVEMIND_MAX_RUNS).`
    this.publish(run)
    const leave = await this.places.take(run.controller.signal).catch(() => () => {})
    run.row.message = ''
    this.publish(run)
    return leave
  }

  private async keepEnd({ journal, fold, statistics }: ActiveRun, row: RunSummaryRow): Promise<void> {
    await journal.close()
    const folded = fold.run()
    await this.repository.finish(row, {
      result: { ...resultOf(folded), outputs: [] },
      statistics: statistics.tasks(),
      spanCount: statistics.count,
      outputCount: folded.outputCount,
    })
  }

  /** What a target only reports with the result counts as an event too. */
  private takeUntold(run: ActiveRun, { outputs, spans = [], endedAt: at }: Partial<RunResult>): void {
    if (run.statistics.count === 0)
      for (const span of spans) this.take(run, { type: 'span', at: at ?? 0, span })
    if (run.fold.run().outputCount === 0)
      for (const output of outputs ?? []) this.take(run, { type: 'output', at: at ?? 0, output })
  }

  private take(run: ActiveRun, event: RunEvent): void {
    const kept = run.fold.apply(event)
    if (!kept) return
    const { id } = run.row
    run.lastEvent = this.events.publish([`run:${id}`], { type: 'run-event', run: id, event: kept })
    run.journal.add(run.lastEvent, kept)
    if (event.type === 'span') {
      run.statistics.add(event.span)
      run.statisticsTimer ??= setTimeout(() => this.publishStatistics(run), STATISTICS_EVERY_MS)
    }
    if (event.type !== 'state' || isFinal(event.state)) return
    run.row.state = event.state
    run.row.message = storable(event.message ?? '')
    this.publish(run)
    void this.repository.setState({ ...run.row }).catch(() => {})
  }

  private publishStatistics(run: ActiveRun): void {
    clearTimeout(run.statisticsTimer)
    run.statisticsTimer = undefined
    const { statistics, row } = run
    this.events.publishNoun(
      [`run:${row.id}`],
      {
        type: 'run-statistics',
        run: row.id,
        figures: { statistics: statistics.tasks(), spanCount: statistics.count },
      },
      { id: row.id, project: row.project_id },
    )
  }

  private publish({ row }: Pick<ActiveRun, 'row'>): void {
    this.events.publishNoun(
      [`project:${row.project_id}`, `run:${row.id}`],
      { type: 'run', run: toRecord(row) },
      { id: row.id, project: row.project_id },
    )
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
   * The spans of a whole run, to measure it. Of a run with more than 50,000 those of every so many-th item of each device,
   * and all of the whole swarm: an item is there with all of its invocations, or with none. Throws 404.
   */
  async measuredSpans(id: string): Promise<Span[]> {
    const run = await this.get(id)
    const everyItem = Math.ceil(run.spanCount / MAX_SPANS_READ)
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

  /** Sees to it that what a run has reported can be read. Throws 404 without such a run. */
  private async written(id: string): Promise<void> {
    const now = this.active.get(id)
    if (now) await now.journal.flush()
    else if (!(await this.repository.find(id))) throw notFound('run', id)
  }

  /** Cancels it; one that has ended stays as it is. */
  async cancel(id: string): Promise<Noun<'RunRecord'>> {
    const run = this.active.get(id)
    if (run) {
      run.controller.abort()
      await atMost(PATIENCE_MS, run.ended)
    }
    const row = this.active.get(id)?.row ?? (await this.repository.find(id))
    if (!row) throw notFound('run', id)
    return toRecord(row)
  }

  async stopProject(project: string): Promise<void> {
    await this.end(
      [...this.active.values()].filter((run) => run.row.project_id === project),
      'The project was deleted.',
    )
    for (const id of await this.repository.ids(project)) await this.values.drop(id)
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.end([...this.active.values()], INTERRUPTED)
  }

  private async end(runs: ActiveRun[], reason: string): Promise<void> {
    for (const run of runs) {
      run.reason = reason
      run.controller.abort()
    }
    await atMost(PATIENCE_MS, Promise.all(runs.map((run) => run.ended)))
  }
}
