import {
  accessOf,
  Cluster,
  type ClusterAccess,
  ClusterError,
  checkCluster,
  type Finding,
  type FunctionPlace,
  knativePlace,
} from '@hivemind/deploy'
import { Inject, Injectable } from '@nestjs/common'
import type { BodyOf } from '../common/contract.ts'
import { conflict, impossible, notFound, Problem } from '../common/problem.ts'
import { CONFIG, type Config } from '../config/config.ts'
import type { Noun, TargetSettings } from '../database/tables.ts'
import { SealError, Sealing } from './sealing.ts'
import { type TargetRow, TargetsRepository } from './targets.repository.ts'

type Settings = Pick<BodyOf<'tryTarget'>, 'namespace' | 'ingress' | 'images'>

const NO_IMAGES =
  'No images are set that run functions: name them here, or in HIVEMIND_IMAGE_NODE and HIVEMIND_IMAGE_PYTHON (docs/knative.md says how to make them).'

/** Clusters that have a name, with their secrets sealed. */
@Injectable()
export class TargetsService {
  private readonly repository: TargetsRepository
  private readonly sealing: Sealing
  private readonly images: Config['images']
  /** Opened ones, by name. */
  private readonly places = new Map<string, Promise<FunctionPlace>>()

  constructor(@Inject(CONFIG) config: Config, repository: TargetsRepository) {
    this.repository = repository
    this.sealing = new Sealing(config.secretKeyFile)
    this.images = config.images
  }

  async list(): Promise<Noun<'TargetRecord'>[]> {
    const live = await this.repository.live()
    return (await this.repository.list()).map((row) => toRecord(row, live.get(row.name) ?? 0))
  }

  /** Throws 409 when the name is taken, and 422 when the cluster cannot be deployed to. */
  async create({ name, ...body }: BodyOf<'createTarget'>): Promise<Noun<'TargetRecord'>> {
    if (await this.repository.find(name)) throw taken(name)
    const access = await readAccess(body.kubeconfig, body.context)
    await this.mustBeGood(access, body)
    const now = new Date()
    const row: TargetRow = {
      name,
      settings: settingsOf(access, body),
      sealed: await this.sealing.seal(access.kubeconfig, name),
      created_at: now,
      updated_at: now,
    }
    if (!(await this.repository.add(row))) throw taken(name)
    return toRecord(row, 0)
  }

  /** Throws 404, 409 while something is deployed there, and 422 when the cluster cannot be deployed to. */
  async replace(name: string, body: BodyOf<'replaceTarget'>): Promise<Noun<'TargetRecord'>> {
    const row = await this.idle(name)
    const access = await readAccess(body.kubeconfig ?? (await this.kubeconfigOf(row)), body.context)
    await this.mustBeGood(access, body)
    const changed: TargetRow = {
      ...row,
      settings: settingsOf(access, body),
      sealed: await this.sealing.seal(access.kubeconfig, name),
      updated_at: new Date(),
    }
    await this.repository.update(changed)
    this.places.delete(name)
    return toRecord(changed, 0)
  }

  /** Throws 404, and 409 while something is deployed there. */
  async remove(name: string): Promise<void> {
    await this.idle(name)
    await this.repository.remove(name)
    this.places.delete(name)
  }

  /** What a check of it finds now. Throws 404. */
  async check(name: string): Promise<Noun<'TargetCheck'>> {
    const row = await this.row(name)
    const { namespace, ingress, images } = row.settings
    return this.tryOut({ kubeconfig: await this.kubeconfigOf(row), namespace, ingress, images })
  }

  /** What a check of a cluster finds that is not kept. Throws 422 when the kubeconfig is none. */
  async tryOut({ kubeconfig, context, ...settings }: BodyOf<'tryTarget'>): Promise<Noun<'TargetCheck'>> {
    const access = await readAccess(kubeconfig, context)
    const { server, contexts } = access
    return {
      server,
      contexts,
      context: access.context,
      namespace: settings.namespace ?? access.namespace,
      findings: await this.findings(access, settings),
    }
  }

  /** Where functions of a deployment run: `undefined` for the usual target. Throws 422 when there is no such target. */
  async place(name: string | undefined): Promise<FunctionPlace | undefined> {
    if (name === undefined) return undefined
    const row = await this.repository.find(name)
    if (!row) throw impossible('target', `There is no target '${name}': add it, or choose another.`)
    const opened = this.places.get(name) ?? this.open(row)
    this.places.set(name, opened)
    opened.catch(() => this.places.delete(name))
    return opened
  }

  private async open(row: TargetRow): Promise<FunctionPlace> {
    const { namespace, usualNamespace, ingress, images = this.images } = row.settings
    if (!images) throw impossible('target', NO_IMAGES)
    return knativePlace({
      cluster: { kubeconfig: await this.kubeconfigOf(row), namespace: namespace ?? usualNamespace },
      knative: { images, ...(ingress !== undefined && { ingress }) },
    })
  }

  private async kubeconfigOf({ name, sealed }: TargetRow): Promise<string> {
    return this.sealing.open(sealed, name).catch((error: unknown) => {
      throw error instanceof SealError
        ? impossible('kubeconfig', `Target '${name}': ${error.message}`)
        : error
    })
  }

  private async mustBeGood(access: ClusterAccess, settings: Settings): Promise<void> {
    const bad = (await this.findings(access, settings)).filter(({ level }) => level === 'error')
    if (bad.length > 0)
      throw new Problem(
        422,
        `Nothing can be deployed there: ${bad[0]?.message}`,
        bad.map(({ message }) => ({ field: 'cluster', message })),
      )
  }

  private async findings({ kubeconfig, namespace }: ClusterAccess, settings: Settings): Promise<Finding[]> {
    const cluster = await Cluster.open({ kubeconfig, namespace: settings.namespace ?? namespace })
    const findings = await checkCluster(cluster, settings.ingress)
    return settings.images || this.images ? findings : [...findings, { level: 'error', message: NO_IMAGES }]
  }

  private async row(name: string): Promise<TargetRow> {
    const row = await this.repository.find(name)
    if (!row) throw notFound('target', name)
    return row
  }

  /** Throws 404, and 409 while something is deployed there. */
  private async idle(name: string): Promise<TargetRow> {
    const row = await this.row(name)
    const live = (await this.repository.live()).get(name) ?? 0
    if (live > 0)
      throw conflict(
        `${live === 1 ? 'A deployment runs' : `${live} deployments run`} on '${name}': undeploy first, so that nothing is left on the cluster.`,
      )
    return row
  }
}

const taken = (name: string): Problem =>
  conflict(`There is a target '${name}' already: change that, or choose another name.`)

/** Throws 422. */
function readAccess(kubeconfig: string, context: string | undefined): Promise<ClusterAccess> {
  return accessOf(kubeconfig, context).catch((error: unknown) => {
    throw error instanceof ClusterError ? impossible('kubeconfig', error.message) : error
  })
}

const settingsOf = (
  { server, context, namespace: usualNamespace }: ClusterAccess,
  { namespace, ingress, images }: Settings,
): TargetSettings => ({
  server,
  context,
  usualNamespace,
  ...(namespace !== undefined && { namespace }),
  ...(ingress !== undefined && { ingress }),
  ...(images && { images }),
})

function toRecord({ name, settings, created_at, updated_at }: TargetRow, live: number): Noun<'TargetRecord'> {
  const { usualNamespace, namespace = usualNamespace, ...rest } = settings
  return {
    name,
    ...rest,
    namespace,
    live,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
  }
}
