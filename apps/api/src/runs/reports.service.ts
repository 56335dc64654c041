import os from 'node:os'
import { Inject, Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import type { QueryOf } from '../common/contract.ts'
import { slug } from '../common/text.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { DeploymentsService } from '../deployments/deployments.service.ts'
import { ESTIMATE_SEED } from '../deployments/estimates.service.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { VersionsService } from '../versions/versions.service.ts'
import { constraintsOf, type Report, tasksOf } from './report.ts'
import { reportPage } from './report-page.ts'
import { RunReader } from './run-reader.service.ts'

const instant = (ms: number) => new Date(ms).toISOString()

@Injectable()
export class ReportsService {
  private readonly config: Config
  private readonly runs: RunReader
  private readonly deployments: DeploymentsService
  private readonly projects: ProjectsService
  private readonly versions: VersionsService
  private readonly checks: ChecksService

  constructor(
    @Inject(CONFIG) config: Config,
    runs: RunReader,
    deployments: DeploymentsService,
    projects: ProjectsService,
    versions: VersionsService,
    checks: ChecksService,
  ) {
    this.config = config
    this.runs = runs
    this.deployments = deployments
    this.projects = projects
    this.versions = versions
    this.checks = checks
  }

  async report(
    id: string,
    format: QueryOf<'runReport'>['format'],
  ): Promise<{ fileName: string; text: string }> {
    const report = await this.gather(id)
    const day = report.run.startedAt.slice(0, 16).replace(/[:T]/g, '-')
    return {
      fileName: `${slug(report.workflow.name, 'workflow')}-run-${day}-${id.slice(0, 8)}.${format}`,
      text: format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : reportPage(report),
    }
  }

  private async gather(id: string): Promise<Report> {
    const run = await this.runs.get(id)
    const { request, estimate } = await this.deployments.get(run.deployment)
    const project = await this.projects.get(run.project)
    const { text } = await this.versions.get(run.project, request.version)
    const { workflow } = await this.checks.check(text, run.project)
    const { result } = run
    const began = result.startedAt || Date.parse(run.createdAt)
    const ended = result.endedAt || (run.endedAt ? Date.parse(run.endedAt) : began)
    const cpus = os.cpus()
    return {
      schema: 'hivemind.report/1',
      madeAt: new Date().toISOString(),
      project: { id: project.id, name: project.name },
      workflow: {
        name: project.workflowFile.replace(/\.hive\.py$/, ''),
        version: request.version,
        constraints: constraintsOf(workflow?.constraints ?? []),
      },
      run: {
        id,
        state: run.state,
        ...(run.message === '' ? {} : { message: run.message }),
        startedAt: instant(began),
        endedAt: instant(ended),
        execTimeMs: Math.max(0, ended - began),
      },
      deployment: {
        id: run.deployment,
        agents: request.agents,
        placement: request.placement,
        ...(request.candidate === undefined ? {} : { candidate: request.candidate }),
        ...(request.exploration === undefined ? {} : { exploration: request.exploration }),
      },
      inputs: run.request.inputs,
      ...(run.request.itemsPerDevice === undefined ? {} : { itemsPerDevice: run.request.itemsPerDevice }),
      ...(estimate ? { estimate } : {}),
      estimateSeed: ESTIMATE_SEED,
      tasks: tasksOf(run.statistics, result.tasks, request.placement, estimate),
      outputs: result.outputs,
      losses: result.losses,
      ...(result.constraints ? { constraints: result.constraints } : {}),
      invocations: run.spanCount,
      machine: {
        processor: cpus[0]?.model.trim() ?? 'unknown',
        cores: cpus.length,
        memoryGB: Math.round(os.totalmem() / 1e8) / 10,
        system: `${os.type()} ${os.release()} (${os.arch()})`,
      },
      versions: { HiveMind: this.config.version, 'Node.js': process.versions.node },
    }
  }
}
