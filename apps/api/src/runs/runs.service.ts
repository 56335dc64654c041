import { type Deployment, type EarlierLife, RunLeftError, type RunOptions } from '@hivemind/deploy'
import {
  isFinal,
  type RunEvent,
  RunFold,
  type RunResult,
  type RunSummary,
  SpanStatistics,
} from '@hivemind/orchestrator'
import { inputsOf } from '@hivemind/workflow'
import { Inject, Injectable } from '@nestjs/common'
import type { BodyOf } from '../common/contract.ts'
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
import { type ActiveRun, ActiveRuns } from './active-runs.ts'
import { CoreJournals } from './core-journal.ts'
import { partFrom } from './from-run.ts'
import { replayRuns } from './replay.ts'
import { RunJournal } from './run-journal.ts'
import { RunReader, resultOf, toRecord } from './run-reader.service.ts'
import { RUN_VALUES, type RunValues } from './run-values.ts'
import { type RunSummaryRow, RunsRepository } from './runs.repository.ts'

/** Time a cancelled run gets to end, in ms; after it the undeployment ends it. */
const PATIENCE_MS = 3_000
export const INTERRUPTED = 'The service stopped during the run; start it again.'

/** Figures of a run under way are sent this far apart, in ms. */
const STATISTICS_EVERY_MS = 500

/** What a run begins with, of which a new one has nothing. */
export interface Beginning {
  from?: RunOptions['from']
  resume?: EarlierLife
  fold?: RunFold
  statistics?: SpanStatistics
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

/** Starts, performs and cancels runs; `RunReader` tells of them. */
@Injectable()
export class RunsService {
  private readonly repository: RunsRepository
  private readonly deployments: DeploymentsService
  private readonly reader: ProjectReader
  private readonly events: EventsService
  private readonly values: RunValues
  private readonly places: Places
  private readonly active: ActiveRuns
  private readonly runs: RunReader
  private readonly journals: CoreJournals
  private readonly keep: boolean
  private readonly stopping = new AbortController()
  /** Fires when runs are left to the service that comes after this one. */
  private readonly leaving = new AbortController()

  constructor(
    repository: RunsRepository,
    deployments: DeploymentsService,
    reader: ProjectReader,
    events: EventsService,
    active: ActiveRuns,
    runs: RunReader,
    journals: CoreJournals,
    @Inject(RUN_VALUES) values: RunValues,
    @Inject(CONFIG) config: Config,
  ) {
    this.places = new Places(config.maxRuns)
    this.journals = journals
    this.keep = config.keepDeployments
    this.values = values
    this.active = active
    this.runs = runs
    events.addReplay(replayRuns(repository, async (run) => this.active.get(run)?.journal.flush()))
    this.repository = repository
    this.deployments = deployments
    this.reader = reader
    this.events = events
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
    const from = await this.partFrom(deployed.project_id, deployment, request.from)
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
    return this.begin(row, deployment, { ...(from && { from }) })
  }

  /** Has it under way from now on. */
  begin(
    row: RunSummaryRow,
    deployment: Deployment,
    { from, resume, fold = new RunFold(), statistics = new SpanStatistics() }: Beginning,
  ): Noun<'RunRecord'> {
    const run: ActiveRun = {
      row,
      fold,
      statistics,
      lastEvent: this.events.last,
      journal: new RunJournal(row.id, (batch) => this.repository.addEvents(row.id, batch)),
      core: this.journals.open(row.id),
      controller: new AbortController(),
      ended: Promise.resolve(),
    }
    this.active.set(row.id, run)
    this.publish(run)
    const record = toRecord(row)
    run.ended = this.perform(run, deployment, { ...(from && { from }), ...(resume && { resume }) })
    return record
  }

  /** What a run from a task on takes from an earlier one; `undefined` for a whole run. Throws 404 without such a run of the project, 400 when it cannot be. */
  async partFrom(
    project: string,
    deployment: Deployment,
    from: BodyOf<'startRun'>['from'],
  ): Promise<RunOptions['from']> {
    if (!from) return undefined
    const { project: own } = await this.runs.get(from.run)
    if (own !== project) throw notFound('run', from.run)
    return partFrom(from, deployment, () => this.runs.outputs(from.run), this.values)
  }

  private async perform(
    run: ActiveRun,
    deployment: Deployment,
    { from, resume }: Pick<RunOptions, 'from' | 'resume'>,
  ): Promise<void> {
    const { row } = run
    let result: RunSummary
    let leave = (): void => {}
    try {
      leave = await this.place(run)
      this.leaving.signal.throwIfAborted()
      const told = await deployment.run({
        run: row.id,
        inputs: row.request.inputs,
        // Of a run from a task on, what was recorded says how many there are.
        ...(from ? { from } : { itemsPerDevice: row.request.itemsPerDevice }),
        signal: run.controller.signal,
        onEvent: (event) => this.take(run, event),
        whenRoom: () => run.journal.whenRoom(),
        journal: (event) => run.core.add(event),
        leave: this.leaving.signal,
        ...(resume && { resume }),
      })
      this.takeUntold(run, told)
      result = told
    } catch (error) {
      if (error instanceof RunLeftError || this.leaving.signal.aborted) return this.left(run)
      const { state: _, ...soFar } = run.fold.run()
      result = { ...soFar, state: 'failed', message: sentenceOf(error), endedAt: Date.now() }
    }
    leave()
    await run.core.close()
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
          this.journals.remove(row.id)
        },
        { what: `The result of run ${row.id}`, signal: this.stopping.signal },
      )
    } catch (error) {
      log.error({ run: row.id, err: error }, 'The result of a run could not be kept.')
    }
    this.active.delete(row.id)
    show()
  }

  /** It goes on in the service that comes after this one. */
  private async left({ row, core, journal, statisticsTimer }: ActiveRun): Promise<void> {
    clearTimeout(statisticsTimer)
    await core.close()
    await journal
      .close()
      .catch((error: unknown) =>
        log.error({ run: row.id, err: error }, 'Events of a run that was left could not be kept.'),
      )
    log.info({ run: row.id, project: row.project_id }, 'A run was left to the next service.')
  }

  /** Waits until the run may be under way; one that is cancelled meanwhile needs no place to end. */
  private async place(run: ActiveRun): Promise<() => void> {
    const noLonger = AbortSignal.any([run.controller.signal, this.leaving.signal])
    if (!this.places.full) return this.places.take(noLonger)
    run.row.message = `Waiting: ${this.places.count} runs are under way, as many as this service has at once (HIVEMIND_MAX_RUNS).`
    this.publish(run)
    const leave = await this.places.take(noLonger).catch(() => () => {})
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

  /** Tells of its state. */
  publish({ row }: Pick<ActiveRun, 'row'>): void {
    this.events.publishNoun(
      [`project:${row.project_id}`, `run:${row.id}`],
      { type: 'run', run: toRecord(row) },
      { id: row.id, project: row.project_id },
    )
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

  /** Ends the runs, or leaves them to the next service where deployments are kept. */
  async stop(): Promise<void> {
    this.stopping.abort()
    if (this.keep) {
      this.leaving.abort()
      return atMost(PATIENCE_MS, Promise.all([...this.active.values()].map((run) => run.ended)))
    }
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
