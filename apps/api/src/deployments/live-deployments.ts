import type { Deployment, DeploymentSpec, DeploymentStatus, Target } from '@hivemind/deploy'
import type { Workflow } from '@hivemind/workflow'
import { Inject, Injectable } from '@nestjs/common'
import { log } from '../common/log.ts'
import { Places } from '../common/places.ts'
import { keepTrying } from '../common/storage-errors.ts'
import { sentenceOf, storable } from '../common/text.ts'
import type { Noun } from '../database/tables.ts'
import { EventsService } from '../events/events.service.ts'
import { type DeploymentRow, DeploymentsRepository } from './deployments.repository.ts'
import { readinessOf } from './readiness.ts'
import { TARGET } from './target.ts'

const GONE = 'The service stopped, and its processes with it; deploy again.'
/** So many deployments whose start failed keep their logs, until the service ends. */
const MAX_FAILED = 20
/** Deployments that start at once; others wait, so that a start does not take ten times as long as it would. */
const STARTS_AT_ONCE = 2
const WAITS = 'Waiting: other deployments are starting.'
/** What a deployment says while it starts. */
export const STARTS = 'Starting the function processes and edge agents.'
const STOPPED = 'The service was stopped; deploy again.'

/** A deployment that has not ended. */
interface Live {
  row: DeploymentRow
  workflow: Workflow
  controller: AbortController
  deployment?: Deployment
  /** The deployment from the moment that it is being started; its logs can be read. */
  starting?: Deployment
  /** Settles when it is ready or has failed. */
  started: Promise<void>
  /** Set once it is being stopped. */
  stopping?: Promise<void>
}

export function toRecord(row: DeploymentRow): Noun<'DeploymentRecord'> {
  return {
    id: row.id,
    project: row.project_id,
    request: row.request,
    state: row.state,
    message: row.message,
    resources: row.resources,
    ...(row.estimate ? { estimate: row.estimate } : {}),
    createdAt: row.created_at.toISOString(),
  }
}

/** The deployments that run, in this process: started, attached to again, replaced and stopped. */
@Injectable()
export class LiveDeployments {
  private readonly target: Target
  private readonly repository: DeploymentsRepository
  private readonly events: EventsService
  /** By id, the oldest first. */
  private readonly live = new Map<string, Live>()
  /** Deployments whose start failed, by id, the oldest first: their logs can still be read. */
  private readonly failed = new Map<string, Deployment>()
  /** Rows that are ahead of the database. */
  private readonly unkept = new Map<string, DeploymentRow>()
  private readonly starts = new Places(STARTS_AT_ONCE)
  private readonly stopping = new AbortController()

  constructor(@Inject(TARGET) target: Target, repository: DeploymentsRepository, events: EventsService) {
    this.target = target
    this.repository = repository
    this.events = events
  }

  /** The newest deployment of a project on a target (the usual one when it has no name) that has not ended, if any. */
  newest(project: string, target: string | undefined): Live | undefined {
    return [...this.live.values()].findLast(
      ({ row, stopping }) => row.project_id === project && row.request.target === target && !stopping,
    )
  }

  /** All that have not ended. */
  rows(): DeploymentRow[] {
    return [...this.live.values()].map(({ row }) => row)
  }

  find(id: string): Live | undefined {
    return this.live.get(id)
  }

  /** The deployment whose logs can be read: it runs, is being started, or failed to start not long ago. */
  withLogs(id: string): Deployment | undefined {
    const live = this.live.get(id)
    return live?.deployment ?? live?.starting ?? this.failed.get(id)
  }

  /** Starts it in the background. It takes the place of `before`, which serves until it is ready. */
  start(row: DeploymentRow, workflow: Workflow, spec: DeploymentSpec, before: Live | undefined): void {
    const live: Live = { row, workflow, controller: new AbortController(), started: Promise.resolve() }
    this.live.set(row.id, live)
    live.started = this.bringUp(live, spec, before)
  }

  private async bringUp(live: Live, spec: DeploymentSpec, before: Live | undefined): Promise<void> {
    this.publish(live)
    let leave = (): void => {}
    try {
      await before?.started
      if (this.starts.full) this.say(live, WAITS)
      leave = await this.starts.take(live.controller.signal)
      if (live.row.message === WAITS) this.say(live, STARTS)
      const current = before?.stopping ? undefined : before?.deployment
      const { canary } = live.row.request
      live.deployment = await this.target.apply(spec, {
        signal: live.controller.signal,
        ...(current && { current }),
        ...(canary && {
          canary: { share: canary.share, calls: canary.calls, limitMs: canary.minutes * 60_000 },
        }),
        // A trial takes minutes and little else: others may start meanwhile.
        onTrial: leave,
        onStarting: (deployment) => {
          live.starting = deployment
        },
        onStatus: (status) => {
          if (live.row.state !== 'starting') return
          live.row.resources = resourcesOf(status)
          live.row.message = status.message ?? STARTS
          this.publish(live)
        },
      })
      if (before) await this.replaced(before)
      if (live.stopping) return
      await this.ready(live, live.deployment)
    } catch (error) {
      if (live.stopping) return
      if (live.starting) this.keepFailed(live.row.id, live.starting)
      await this.change(live, 'failed', sentenceOf(error), live.row.resources)
    } finally {
      leave()
    }
  }

  private say(live: Live, message: string): void {
    live.row.message = message
    this.publish(live)
  }

  private keepFailed(id: string, deployment: Deployment): void {
    this.failed.set(id, deployment)
    for (const oldest of [...this.failed.keys()].slice(0, -MAX_FAILED)) this.failed.delete(oldest)
  }

  private async ready(live: Live, deployment: Deployment): Promise<void> {
    live.row.live = deployment.record()
    deployment.watch((status) => {
      if (live.row.state !== 'ready') return
      this.serves(live, status)
      live.row.live = deployment.record()
      this.publish(live)
      this.keep(live)
    })
    const resources = resourcesOf(deployment.status())
    await this.change(live, 'ready', readinessOf(resources), resources)
  }

  /** Notes what of a deployment that is there serves now. */
  private serves({ row }: Live, status: DeploymentStatus): void {
    row.resources = resourcesOf(status)
    row.message = storable(readinessOf(row.resources))
  }

  /** Its successor has taken its resources over, or it had none. */
  private async replaced(before: Live): Promise<void> {
    if (before.stopping || before.row.state === 'failed') return
    before.stopping = Promise.resolve()
    await this.change(before, 'stopped', 'Replaced by a newer deployment.', [])
  }

  /** Takes up what an earlier service left running; what is gone is stopped, and whoever listens is told. */
  async attachAll(
    specOf: (row: DeploymentRow) => Promise<{ workflow: Workflow; spec: DeploymentSpec }>,
    interruptedRuns: (deployment: string) => readonly string[],
  ): Promise<void> {
    for (const row of await this.repository.leftLive()) {
      const live: Live = {
        row,
        workflow: undefined as unknown as Workflow,
        controller: new AbortController(),
        started: Promise.resolve(),
      }
      try {
        if (!row.live || row.state !== 'ready') throw new Error(GONE)
        const { workflow, spec } = await specOf(row)
        const deployment = await this.target.attach(row.live, spec)
        if (!deployment) throw new Error(GONE)
        Object.assign(live, { workflow, deployment })
        this.live.set(row.id, live)
        for (const run of interruptedRuns(row.id)) deployment.forgetRun(run)
        await this.ready(live, deployment)
        log.info({ deployment: row.id }, 'A deployment was attached to again.')
      } catch (error) {
        await this.change(live, 'stopped', sentenceOf(error), [])
      }
    }
  }

  /** Stops one, whatever it is at; resolves when its processes are gone. */
  end(live: Live, message: string): Promise<void> {
    live.stopping ??= (async () => {
      live.controller.abort()
      await live.started
      const left = await live.deployment?.undeploy().then(
        () => '',
        (error: unknown) => ` Something of it is left: ${sentenceOf(error)}`,
      )
      if (left) log.error({ deployment: live.row.id }, `A deployment was not undeployed whole.${left}`)
      if (live.row.state === 'starting' || live.row.state === 'ready')
        await this.change(live, 'stopped', `${message}${left ?? ''}`, [])
      this.live.delete(live.row.id)
    })()
    return live.stopping
  }

  async endProject(project: string): Promise<void> {
    const own = [...this.live.values()].filter(({ row }) => row.project_id === project)
    await Promise.all(own.map((live) => this.end(live, 'The project was deleted.')))
  }

  /** Ends what this process made; deployments that may outlive it stay as they are. */
  async stop({ keep }: { keep: boolean }): Promise<void> {
    if (!keep) await Promise.all([...this.live.values()].map((live) => this.end(live, STOPPED)))
    await this.target.close()
    this.stopping.abort()
  }

  /** The row as it is now. */
  current(row: DeploymentRow): DeploymentRow {
    const live = this.live.get(row.id)
    if (!live) return this.unkept.get(row.id) ?? row
    if (live.row.state === 'ready' && live.deployment) this.serves(live, live.deployment.status())
    return live.row
  }

  private async change(
    live: Live,
    state: DeploymentRow['state'],
    message: string,
    resources: DeploymentRow['resources'],
  ): Promise<void> {
    Object.assign(live.row, { state, message: storable(message), resources })
    if (state === 'failed' || state === 'stopped') {
      live.row.live = null
      this.live.delete(live.row.id)
    }
    log.info({ deployment: live.row.id, project: live.row.project_id }, `Deployment ${state}: ${message}`)
    this.publish(live)
    await this.keep(live)
  }

  /** Writes the row as it is then; resolves when it has been tried, and goes on trying while the disk is full. */
  private async keep({ row }: Live): Promise<void> {
    this.unkept.set(row.id, row)
    let tried = () => {}
    const firstAttempt = new Promise<void>((resolve) => {
      tried = resolve
    })
    const write = () =>
      this.repository
        .update(row)
        .then(() => void this.unkept.delete(row.id))
        .finally(tried)
    keepTrying(write, {
      what: `The state of deployment ${row.id}`,
      signal: this.stopping.signal,
    }).catch((error: unknown) =>
      log.error({ deployment: row.id, err: error }, 'The state of a deployment could not be kept.'),
    )
    await firstAttempt
  }

  private publish({ row }: Pick<Live, 'row'>): void {
    this.events.publishNoun(
      [`project:${row.project_id}`],
      { type: 'deployment', deployment: toRecord(row) },
      { id: row.id, project: row.project_id },
    )
  }
}

const resourcesOf = (status: DeploymentStatus): DeploymentRow['resources'] =>
  status.resources.map(({ kind, name, state, pid, containers, message }) => ({
    kind,
    name,
    state,
    ...(pid === undefined ? {} : { pid }),
    ...(containers === undefined ? {} : { containers }),
    ...(message === undefined ? {} : { message: storable(message) }),
  }))
