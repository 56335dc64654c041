import { compare, type Figure, timingsOf } from '@hivemind/orchestrator'
import { Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import type { QueryOf } from '../common/contract.ts'
import type { Noun } from '../database/tables.ts'
import { DeploymentsService } from '../deployments/deployments.service.ts'
import { EstimatesService } from '../deployments/estimates.service.ts'
import { VersionsService } from '../versions/versions.service.ts'
import { RunReader } from './run-reader.service.ts'

/** The newest runs of a deployment that are measured, at most. */
const MOST_RUNS = 5

const figureOf = ({ simulatedMs, measuredMs, deviation }: Figure): Noun<'ComparedFigure'> => ({
  simulatedMs,
  measuredMs,
  deviation: Number.isFinite(deviation) ? deviation : null,
})

/** Holds the estimate of a deployment against its runs. */
@Injectable()
export class ComparisonService {
  private readonly runs: RunReader
  private readonly deployments: DeploymentsService
  private readonly estimates: EstimatesService
  private readonly versions: VersionsService
  private readonly checks: ChecksService

  constructor(
    runs: RunReader,
    deployments: DeploymentsService,
    estimates: EstimatesService,
    versions: VersionsService,
    checks: ChecksService,
  ) {
    this.runs = runs
    this.deployments = deployments
    this.estimates = estimates
    this.versions = versions
    this.checks = checks
  }

  /** Throws 404 without such a deployment. */
  async compare(
    id: string,
    { profile }: QueryOf<'compareDeployment'>,
  ): Promise<Noun<'DeploymentComparison'>> {
    const { project_id, request, estimate: deployed } = await this.deployments.row(id)
    const succeeded = await this.runs.succeeded(id)
    const itemsPerDevice = succeeded[0]?.request.itemsPerDevice
    const alike = succeeded
      .filter((run) => run.request.itemsPerDevice === itemsPerDevice)
      .map((run) => run.id)
    const now = profile === 'now' || !deployed
    // Of the time of deployment no run is known; else every second run shows what calls take, and none is both.
    const runs = alike.filter((_, index) => !now || index % 2 === 0).slice(0, MOST_RUNS)
    const shownBy = alike.filter((_, index) => now && index % 2 === 1).slice(0, MOST_RUNS)
    const told = {
      deployment: id,
      profile: now ? ('now' as const) : ('deployed' as const),
      runs,
      callsFrom: shownBy,
      ...(itemsPerDevice === undefined ? {} : { itemsPerDevice }),
    }
    if (runs.length === 0) return { ...told, rows: [] }
    const workflow = await this.checks.soundWorkflow(
      project_id,
      await this.versions.get(project_id, request.version),
    )
    const timings = []
    for (const run of runs) {
      const spans = await this.runs.measuredSpans(run)
      timings.push(timingsOf(workflow, { ...(await this.runs.get(run)).result, spans }))
    }
    const shown = []
    for (const run of shownBy) shown.push(await this.runs.measuredSpans(run))
    const estimate = now
      ? await this.estimates.estimate(project_id, workflow, request, { itemsPerDevice, shown })
      : deployed
    const { rows, run } = compare([estimate], timings)
    return {
      ...told,
      rows: rows.map((row) => ({ ...row, p50: figureOf(row.p50), p99: figureOf(row.p99) })),
      run: figureOf(run),
    }
  }
}
