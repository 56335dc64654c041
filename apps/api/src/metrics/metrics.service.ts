/** What the service counts about itself, in the text format of Prometheus. */
import type { ServerEvent } from '@hivemind/contracts'
import { isFinal, type Span } from '@hivemind/orchestrator'
import { Injectable } from '@nestjs/common'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { LiveDeployments } from '../deployments/live-deployments.ts'
import { EventsService } from '../events/events.service.ts'
import { SpanExporter } from '../traces/span-exporter.ts'

/** Upper limits of what is told apart in a latency, in s. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const MS = 1e-3

/** Names of the parts of a span's time, as labels. */
const PARTS = {
  network: 'network',
  management: 'management',
  dataExchange: 'data_exchange',
  execution: 'execution',
} as const satisfies Record<keyof Span['breakdown'], string>

type RunRecord = Extract<ServerEvent, { type: 'run' }>['run']
type JobRecord = Extract<ServerEvent, { type: 'job' }>['job']

/** Counts what the events of the service tell, and the requests it answers. */
@Injectable()
export class MetricsService {
  private readonly registry = new Registry()
  /** Runs and jobs that have not ended, by id. */
  private readonly runs = new Map<string, RunRecord>()
  private readonly jobs = new Map<string, JobRecord>()
  private readonly requests = this.histogram(
    'hivemind_http_request_seconds',
    'Time of an HTTP request, without its connection',
    ['method', 'route', 'status'],
  )
  private readonly runsEnded = this.counter('hivemind_runs_ended_total', 'Runs that have ended', [
    'project',
    'state',
  ])
  private readonly runTime = this.histogram('hivemind_run_seconds', 'Time of a run, with its waiting', [
    'project',
  ])
  private readonly taskTime = this.histogram(
    'hivemind_task_seconds',
    'Time of one invocation of a task, from ready to run to its end',
    ['project', 'task', 'tier'],
  )
  private readonly taskParts = this.counter(
    'hivemind_task_part_seconds_total',
    'Where the time of invocations went',
    ['project', 'task', 'tier', 'part'],
  )
  private readonly taskFailures = this.counter(
    'hivemind_task_failures_total',
    'Invocations of a task that failed',
    ['project', 'task', 'tier'],
  )
  private readonly coldStarts = this.histogram(
    'hivemind_cold_start_seconds',
    'Time in which an invocation waited until its function had started; warm ones are not counted',
    ['project', 'task', 'tier'],
  )
  private readonly jobsEnded = this.counter('hivemind_jobs_ended_total', 'Jobs that have ended', [
    'kind',
    'state',
  ])

  constructor(events: EventsService, deployments: LiveDeployments, spans: SpanExporter) {
    collectDefaultMetrics({ register: this.registry })
    this.gauge('hivemind_runs', 'Runs that have not ended', ['state'], () =>
      [...this.runs.values()].map(({ state }) => [{ state }, 1]),
    )
    this.gauge('hivemind_jobs', 'Jobs that have not ended', ['kind', 'state'], () =>
      [...this.jobs.values()].map(({ kind, job: { state } }) => [{ kind, state }, 1]),
    )
    this.gauge('hivemind_deployments', 'Deployments that have not ended', ['state', 'target'], () =>
      deployments.rows().map(({ state, request }) => [{ state, target: request.target ?? '' }, 1]),
    )
    this.gauge('hivemind_resources', 'Functions and agents of deployments', ['kind', 'state'], () =>
      deployments.rows().flatMap(({ resources }) => resources.map(({ kind, state }) => [{ kind, state }, 1])),
    )
    this.gauge('hivemind_function_containers', 'Ready containers on clusters', ['project', 'task'], () =>
      deployments
        .rows()
        .flatMap(({ project_id: project, resources }) =>
          resources.flatMap(({ name: task, containers }) =>
            containers ? [[{ project, task }, containers.ready]] : [],
          ),
        ),
    )
    this.gauge('hivemind_trace_spans_waiting', 'Spans that wait for the collector of traces', [], () => [
      [{}, spans.waiting],
    ])
    new Counter({
      name: 'hivemind_trace_spans_total',
      help: 'Spans by what became of them: exported, rejected by the collector, or dropped for lack of room',
      labelNames: ['result'],
      registers: [this.registry],
      collect() {
        this.reset()
        for (const [result, count] of Object.entries(spans.counts)) this.inc({ result }, count)
      },
    })
    events.observe((event) => this.take(event))
  }

  get contentType(): string {
    return this.registry.contentType
  }

  /** All figures as text. */
  text(): Promise<string> {
    return this.registry.metrics()
  }

  /** Counts an answer. `route` is the pattern of its path. */
  request(method: string, route: string, status: number, ms: number): void {
    this.requests.observe({ method, route, status: String(status) }, ms * MS)
  }

  private take(event: ServerEvent): void {
    if (event.type === 'run') this.takeRun(event.run)
    else if (event.type === 'job') this.takeJob(event.job)
    else if (event.type === 'run-event' && event.event.type === 'span')
      this.takeSpan(this.runs.get(event.run)?.project, event.event.span)
  }

  private takeRun(run: RunRecord): void {
    if (!isFinal(run.state)) {
      this.runs.set(run.id, run)
      return
    }
    // The end of a run is told more than once.
    if (!this.runs.delete(run.id)) return
    const { project, state, createdAt, endedAt } = run
    this.runsEnded.inc({ project, state })
    const end = endedAt === undefined ? Date.now() : Date.parse(endedAt)
    this.runTime.observe({ project }, (end - Date.parse(createdAt)) * MS)
  }

  private takeSpan(project: string | undefined, span: Span): void {
    if (project === undefined) return
    const { task, tier, queuedAt, endedAt, breakdown, status, coldStartMs } = span
    this.taskTime.observe({ project, task, tier }, (endedAt - queuedAt) * MS)
    for (const [name, part] of Object.entries(PARTS))
      this.taskParts.inc(
        { project, task, tier, part },
        Math.max(0, breakdown[name as keyof typeof PARTS]) * MS,
      )
    if (status === 'failed') this.taskFailures.inc({ project, task, tier })
    if (coldStartMs !== undefined) this.coldStarts.observe({ project, task, tier }, coldStartMs * MS)
  }

  private takeJob(record: JobRecord): void {
    const { id, kind, job } = record
    if (job.state === 'queued' || job.state === 'running') this.jobs.set(id, record)
    else if (this.jobs.delete(id)) this.jobsEnded.inc({ kind, state: job.state })
  }

  private counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  private histogram<L extends string>(name: string, help: string, labelNames: L[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets: BUCKETS_S, registers: [this.registry] })
  }

  /** A gauge whose values are added up anew, by label, whenever somebody asks. */
  private gauge<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    values: () => [Record<L, string>, number][],
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset()
        for (const [labels, value] of values()) this.inc(labels, value)
      },
    })
  }
}
