import type { Deployment } from '@hivemind/deploy'
import type { RunEvent, RunResult } from '@hivemind/orchestrator'
import { inputsOf } from '@hivemind/workflow'
import { Injectable } from '@nestjs/common'
import type { BodyOf } from '../common/contract.ts'
import { notFound, Problem } from '../common/problem.ts'
import { newId, sentenceOf, storable } from '../common/text.ts'
import type { Noun } from '../database/tables.ts'
import { DeploymentsService } from '../deployments/deployments.service.ts'
import { EventsService } from '../events/events.service.ts'
import { ProjectReader } from '../projects/project-reader.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { RunFold } from './run-fold.ts'
import { RunJournal } from './run-journal.ts'
import { type RunSummaryRow, RunsRepository } from './runs.repository.ts'

/** Time a cancelled run gets to end, in ms; after it the undeployment ends it. */
const PATIENCE_MS = 3_000
const INTERRUPTED = 'The service stopped during the run; start it again.'

interface ActiveRun {
  row: RunSummaryRow
  fold: RunFold
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

/** Waits for `work`, but no longer than `ms`. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, patience])
  clearTimeout(timer)
}

const isFinal = (state: RunResult['state']) =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled'

@Injectable()
export class RunsService {
  private readonly repository: RunsRepository
  private readonly deployments: DeploymentsService
  private readonly projects: ProjectsService
  private readonly reader: ProjectReader
  private readonly events: EventsService
  private readonly active = new Map<string, ActiveRun>()

  constructor(
    repository: RunsRepository,
    deployments: DeploymentsService,
    projects: ProjectsService,
    reader: ProjectReader,
    events: EventsService,
  ) {
    this.repository = repository
    this.deployments = deployments
    this.projects = projects
    this.reader = reader
    this.events = events
  }

  failInterrupted(): Promise<void> {
    return this.repository.failInterrupted(INTERRUPTED, new Date())
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
    const { project } = await this.reader.read(deployed.project_id)
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
      journal: new RunJournal(row.id, (rows) => this.repository.addEvents(rows)),
      controller: new AbortController(),
      ended: Promise.resolve(),
    }
    this.active.set(row.id, run)
    this.publish(run)
    const record = toRecord(row)
    run.ended = this.perform(run, deployment)
    return record
  }

  private async perform(run: ActiveRun, deployment: Deployment): Promise<void> {
    const { row } = run
    let result: RunResult
    try {
      result = await deployment.run({
        inputs: row.request.inputs,
        itemsPerDevice: row.request.itemsPerDevice,
        signal: run.controller.signal,
        onEvent: (event) => this.take(run, event),
      })
    } catch (error) {
      result = { ...run.fold.result(), state: 'failed', message: sentenceOf(error), endedAt: Date.now() }
    }
    if (run.reason !== undefined) result = { ...result, message: run.reason }
    if (!isFinal(result.state)) result = { ...result, state: 'failed' }
    const end = { state: result.state, message: storable(result.message ?? ''), ended_at: new Date() }
    try {
      await run.journal.close()
      await this.repository.finish({ ...row, ...end }, result)
    } catch (error) {
      console.error(`The result of run ${row.id} could not be kept: ${sentenceOf(error)}`)
    }
    // Shown once it has been kept, so that whoever sees the end finds the whole result.
    Object.assign(row, end)
    this.active.delete(row.id)
    this.publish(run)
  }

  private take(run: ActiveRun, event: RunEvent): void {
    const kept = run.fold.apply(event)
    if (!kept) return
    run.journal.add(kept)
    this.events.publish([`run:${run.row.id}`], { type: 'run-event', run: run.row.id, event: kept })
    if (event.type === 'device') this.deployments.refreshStatus(run.row.deployment_id)
    if (event.type !== 'state' || isFinal(event.state)) return
    run.row.state = event.state
    run.row.message = storable(event.message ?? '')
    this.publish(run)
    void this.repository.setState({ ...run.row }).catch(() => {})
  }

  private publish({ row }: ActiveRun): void {
    this.events.publish([`project:${row.project_id}`, `run:${row.id}`], { type: 'run', run: toRecord(row) })
  }

  async list(project: string): Promise<Noun<'RunRecord'>[]> {
    await this.projects.row(project)
    const rows = await this.repository.list(project)
    return rows.map((row) => toRecord(this.active.get(row.id)?.row ?? row))
  }

  /** Throws 404. A run under way is answered with all it has told so far. */
  async get(id: string): Promise<Noun<'RunDetail'>> {
    const now = this.active.get(id)
    if (now) return { ...toRecord(now.row), result: now.fold.result(), logs: now.fold.logs() }
    const row = await this.repository.find(id)
    if (!row) throw notFound('run', id)
    const fold = new RunFold()
    for (const event of await this.repository.events(id)) fold.apply(event)
    const result = row.result ?? { ...fold.result(), state: row.state, message: row.message }
    return { ...toRecord(row), result, logs: fold.logs() }
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
  }

  async stop(): Promise<void> {
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
