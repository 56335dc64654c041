/** Runs as OpenTelemetry traces: to download, and on their way to a collector. */
import { setImmediate as pause } from 'node:timers/promises'
import {
  type ExportTraceRequest,
  exportRequest,
  type ResourceSpan,
  runContext,
  runTrace,
} from '@hivemind/orchestrator'
import { Inject, Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import { log } from '../common/log.ts'
import { impossible } from '../common/problem.ts'
import { sentenceOf } from '../common/text.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { DeploymentsService } from '../deployments/deployments.service.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { BATCH_SPANS, SpanExporter } from '../traces/span-exporter.ts'
import { VersionsService } from '../versions/versions.service.ts'
import { RunReader } from './run-reader.service.ts'

/** Most invocations of a run in its trace; each has up to three spans. */
const MAX_INVOCATIONS = 15_000

/** Makes the traces of runs. */
@Injectable()
export class RunTraces {
  private readonly config: Config
  private readonly runs: RunReader
  private readonly deployments: DeploymentsService
  private readonly projects: ProjectsService
  private readonly versions: VersionsService
  private readonly checks: ChecksService
  private readonly exporter: SpanExporter
  /** Traces are made one after the other. */
  private last: Promise<void> = Promise.resolve()

  constructor(
    @Inject(CONFIG) config: Config,
    runs: RunReader,
    deployments: DeploymentsService,
    projects: ProjectsService,
    versions: VersionsService,
    checks: ChecksService,
    exporter: SpanExporter,
  ) {
    this.config = config
    this.runs = runs
    this.deployments = deployments
    this.projects = projects
    this.versions = versions
    this.checks = checks
    this.exporter = exporter
  }

  /** The trace of a run as one OTLP request; of one under way as it is so far. Throws 404. */
  async file(id: string): Promise<ExportTraceRequest> {
    return exportRequest(await this.spansOf(id))
  }

  /** Sends the trace of a run that has ended to the collector, if there is one. Returns at once; failures are logged. */
  export(id: string, traceparent: string | undefined): void {
    if (!this.exporter.enabled || !runContext(id, traceparent).sampled) return
    this.last = this.last.then(() =>
      this.send(id).catch((error: unknown) => {
        log.warn({ run: id }, `The trace of a run could not be made: ${sentenceOf(error)}`)
      }),
    )
  }

  /** Resolves when the traces of all runs that have ended are sent, or given up. */
  async stop(): Promise<void> {
    await this.last
    await this.exporter.stop()
  }

  private async send(id: string): Promise<void> {
    let batch: ResourceSpan[] = []
    for (const span of await this.spansOf(id)) {
      batch.push(span)
      if (batch.length < BATCH_SPANS) continue
      this.exporter.add(batch)
      batch = []
      // Runs and requests come first.
      await pause()
    }
    this.exporter.add(batch)
  }

  private async spansOf(id: string): Promise<Iterable<ResourceSpan>> {
    const run = await this.runs.get(id)
    const { request } = await this.deployments.get(run.deployment)
    const { workflowFile } = await this.projects.get(run.project)
    const { text } = await this.versions.get(run.project, request.version)
    const { workflow } = await this.checks.check(text, run.project)
    if (!workflow) throw impossible('run', 'Its workflow cannot be read any more.')
    const spans = await this.runs.measuredSpans(id, MAX_INVOCATIONS)
    const { from, traceparent } = run.request
    const earlier = from && (await this.runs.get(from.run).catch(() => undefined))
    const { startedAt, endedAt, losses } = run.result
    const createdAt = Date.parse(run.createdAt)
    return runTrace(
      {
        id,
        workflow,
        name: workflowFile.replace(/\.hive\.py$/, ''),
        traceparent,
        ...(earlier && { from: { run: earlier.id, traceparent: earlier.request.traceparent } }),
        createdAt,
        startedAt,
        endedAt: endedAt || (run.endedAt ? Date.parse(run.endedAt) : Date.now()),
        state: run.state,
        ...(run.message !== '' && { message: run.message }),
        losses,
        devices: run.devices,
        attributes: {
          'hivemind.project': run.project,
          'hivemind.deployment': run.deployment,
          'hivemind.version': request.version,
          'hivemind.target': request.target,
          'hivemind.invocations': run.spanCount,
          'hivemind.invocations_traced': spans.length,
        },
      },
      spans,
      this.config.traces.resource,
    )
  }
}
