/** Functions as Knative Services: made, replaced and removed revision by revision (HiveMind 4.3). */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FunctionEndpoint } from '../functions/client.ts'
import type { FunctionHosting, FunctionStatus, FunctionWork, PreparedFunction } from '../functions/hosting.ts'
import { servedTask } from '../functions/served.ts'
import type { ObjectChange } from '../object-change.ts'
import type { Cluster, ClusterObject } from './cluster.ts'
import { readCode } from './code.ts'
import { type Addressed, Containers } from './containers.ts'
import { contentsAreWhole } from './contents.ts'
import { onEdgeNode } from './edge-nodes.ts'
import { ClusterError } from './errors.ts'
import {
  type ClusterFunction,
  type CodeFile,
  contentsOf,
  functionLabels,
  LABELS,
  revisionName,
  SERVING,
  serviceName,
  serviceOf,
} from './manifests.ts'
import { ClusterPreview } from './preview.ts'
import { conditionOf } from './readiness.ts'
import { KnativeServices, textOf } from './services.ts'

/** How often functions are looked at that are to run, in ms. */
const WATCH_MS = 5_000

/** How functions are put on a cluster. */
export interface KnativeOptions {
  /** The image that runs functions of each runtime. */
  images: { node: string; python: string }
  /** Address of Knative's ingress; the address of each service, by its name, when absent. */
  ingress?: string
  /** Most containers of a function; 10 when absent. */
  maxScale?: number
  /** An idle container stays for so long, in s; 30 when absent. */
  keepAliveS?: number
}

/** Calls that one container takes at once, and a run may have under way for one function. */
const CONTAINER_CONCURRENCY = 2
const RUN_CONCURRENCY = 16
/** An idle container stays for so long where nothing else is asked for. */
const KEEP_ALIVE_S = 30

/** In place of the hash of a configuration whose token is made when it is deployed. */
const HASH_TO_COME = '<revision>'

/** A group that a cluster takes, for what is only tried there. */
const GROUP_TO_TRY = 'plan'

/** A function that serves. Plain data, without what its Secret holds but the token. */
interface Serving extends Addressed {
  service: string
  configHash: string
  /** As it was applied. */
  manifest: ClusterObject
  /** Of the object at the cluster; a change by others makes it larger. */
  generation: number
}

/** Whom the functions belong to, and who is told of them. */
interface Owner {
  group: string
  deployment: string
  onStatus: () => void
  log: (level: 'info' | 'warn', text: string) => void
}

/** The functions of a group of deployments on a cluster. */
export class KnativeHosting implements FunctionHosting {
  readonly concurrency = RUN_CONCURRENCY
  readonly #cluster: Cluster
  readonly #services: KnativeServices
  readonly #options: KnativeOptions
  readonly #group: string
  readonly #deployment: string
  readonly #onStatus: () => void
  readonly #serving = new Map<string, Serving>()
  /** Revisions that are to serve and do not yet, by name; they have an address once one has been asked for. */
  readonly #preparing = new Map<string, Omit<Addressed, 'url'> & { url?: string; service: string }>()
  readonly #statuses = new Map<string, FunctionStatus>()
  readonly #logs = new Map<string, string[]>()
  readonly #containers: Containers
  readonly #closing = new AbortController()
  #watching: Promise<void> | undefined
  /** Whether something of this group may be on the cluster. */
  #isThere = false

  constructor(cluster: Cluster, options: KnativeOptions, { group, deployment, onStatus, log }: Owner) {
    this.#cluster = cluster
    this.#services = new KnativeServices(cluster)
    this.#options = options
    this.#group = group
    this.#deployment = deployment
    this.#onStatus = onStatus
    this.#containers = new Containers(cluster, options.ingress, options.keepAliveS ?? KEEP_ALIVE_S, {
      group,
      tokenOf: (revision) => this.#preparing.get(revision)?.token ?? this.#servingBy(revision)?.token,
      onStatus,
      onTrouble: (revision, { message }) => {
        const task = this.#servingBy(revision)?.task
        if (task !== undefined) log('warn', `The function '${task}': ${message}`)
      },
      onSilence: (why) => log('warn', `${why} Until it does, calls take the way through the ingress.`),
    })
  }

  async prepare(work: FunctionWork, signal: AbortSignal): Promise<PreparedFunction> {
    const { name: task } = work
    const known = this.#serving.get(task)
    const there = known && (await this.#services.read(known.service))
    // What somebody has deleted is made anew.
    const before = there ? known : undefined
    const { next, token } = await this.#nextOf(work, known)
    signal.throwIfAborted()
    if (before?.configHash === next.configHash) {
      const asItWas = there?.metadata.generation === before.generation
      return { commit: asItWas ? async () => {} : () => this.#restore(before), discard: async () => {} }
    }
    this.#tell(task, 'starting')
    const service = serviceName(this.#group, task)
    const revision = revisionName(service, next.configHash)
    const discard = async (): Promise<void> => {
      try {
        if (!before) return await this.stop(task)
        const { generation = 0 } = (await this.#cluster.apply(before.manifest)).metadata
        if (this.#serving.get(task) === before) this.#serving.set(task, { ...before, generation })
        this.#onStatus()
        await this.#services.retire(revision)
      } finally {
        this.#preparing.delete(revision)
      }
    }
    this.#preparing.set(revision, { task, service, revision, token, concurrency: next.concurrency })
    try {
      for (const object of contentsOf(next)) {
        await this.#cluster.apply(object)
        this.#isThere = true
      }
      await this.#cluster.apply(
        serviceOf(next, before ? { serving: before.revision, beside: revision } : { serving: revision }),
      )
      await this.#services.ready(task, revision, signal)
    } catch (thrown) {
      const error = work.node === undefined ? thrown : onEdgeNode(thrown as Error, work.node)
      this.#logs.set(task, await this.#services.logs({ [LABELS.revision]: revision }).catch(() => []))
      await discard().catch(() => {})
      if (before) this.#tell(task, 'ready')
      else this.#tell(task, 'failed', (error as Error).message)
      throw error
    }
    return {
      ...(before && { endpoint: () => this.#endpointBeside(revision) }),
      commit: async () => {
        const manifest = serviceOf(next, { serving: revision })
        const { url, generation } = await this.#services.route(task, manifest)
        const { configHash, concurrency } = next
        const serving = { task, service, revision, configHash, token, url, manifest, generation, concurrency }
        this.#serving.set(task, serving)
        this.#preparing.delete(revision)
        this.#containers.prove()
        if (before) await this.#services.retire(before.revision)
        this.#tell(task, 'ready')
        this.#watch()
      },
      discard,
    }
  }

  async preview(
    works: readonly FunctionWork[],
    removed: readonly string[],
  ): Promise<Map<string, ObjectChange[]>> {
    const preview = new ClusterPreview(this.#cluster)
    const changes = new Map<string, ObjectChange[]>()
    for (const work of works) {
      const standing = this.#serving.get(work.name)
      const { next, token } = await this.#nextOf(work, standing)
      const known = token === standing?.token ? next : { ...next, configHash: HASH_TO_COME }
      changes.set(work.name, await preview.replacement(known, standing))
    }
    for (const task of removed) {
      const standing = this.#serving.get(task)
      if (standing) changes.set(task, await preview.removal(standing))
    }
    return changes
  }

  async refusals(works: readonly FunctionWork[]): Promise<string[]> {
    const preview = new ClusterPreview(this.#cluster)
    const refusals: string[] = []
    for (const work of works) {
      const standing = this.#serving.get(work.name)
      const { next } = await this.#nextOf(work, standing)
      refusals.push(...(await preview.refusals(standing ? next : { ...next, group: GROUP_TO_TRY }, standing)))
    }
    return refusals
  }

  async attach(records: readonly Record<string, unknown>[]): Promise<void> {
    this.#isThere ||= records.length > 0
    for (const record of records as unknown as Serving[]) {
      if (!(await this.#services.read(record.service))) continue
      this.#serving.set(record.task, record)
      this.#tell(record.task, 'ready')
    }
    this.#watch()
  }

  records(): Record<string, unknown>[] {
    return [...this.#serving.values()] as unknown as Record<string, unknown>[]
  }

  async endpoint(task: string): Promise<FunctionEndpoint> {
    const serving = this.#serving.get(task)
    if (!serving) throw new ClusterError(`The function '${task}' does not run.`)
    return this.#containers.endpoint(serving)
  }

  wake(task: string): void {
    const serving = this.#serving.get(task)
    if (serving) this.#containers.wake(serving)
  }

  statuses(): FunctionStatus[] {
    return [...this.#statuses.values()].map((status) => {
      const revision = this.#serving.get(status.name)?.revision
      return revision === undefined
        ? status
        : { ...status, containers: { revision, ...this.#containers.count(revision) } }
    })
  }

  logs(task: string): string[] {
    return (this.#logs.get(task) ?? []).map(textOf)
  }

  async stop(task: string): Promise<void> {
    this.#serving.delete(task)
    this.#statuses.delete(task)
    await this.#cluster.remove(SERVING, 'Service', serviceName(this.#group, task))
    await this.#services.removeContents(functionLabels(this.#group, task))
    this.#onStatus()
  }

  async stopAll(): Promise<void> {
    await this.close()
    // A cluster that never answered is not waited for.
    if (this.#isThere) await this.#services.removeAll({ [LABELS.group]: this.#group })
    this.#serving.clear()
    this.#statuses.clear()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#containers.close()
    await this.#watching
  }

  /** Where a revision beside the one that serves takes calls: it has a name of its own, which the ingress learns after a moment. */
  async #endpointBeside(revision: string): Promise<FunctionEndpoint> {
    const prepared = this.#preparing.get(revision)
    if (!prepared) throw new ClusterError('The new function has been taken back.')
    const isWanted = () => this.#preparing.get(revision) === prepared
    prepared.url ??= await this.#services.addressBeside(prepared.service, revision, isWanted)
    return this.#containers.endpoint(prepared as Addressed)
  }

  /**
   * The function that is to be, and the token of its callers: that of the one which serves. Where somebody has changed what that one
   * reads it has another, and with it another revision: a container may have read what is wrong.
   */
  async #nextOf(
    work: FunctionWork,
    serving: Serving | undefined,
  ): Promise<{ next: ClusterFunction; token: string }> {
    const files = await readCode(work)
    if (serving) {
      const next = this.#functionOf(work, files, serving.token)
      if (next.configHash !== serving.configHash || (await contentsAreWhole(this.#cluster, next)))
        return { next, token: serving.token }
    }
    const token = randomBytes(24).toString('base64url')
    return { next: this.#functionOf(work, files, token), token }
  }

  #functionOf(
    { node, workflow, task, bundle, coPlaced = [] }: FunctionWork,
    files: CodeFile[],
    token: string,
  ): ClusterFunction {
    const { images, maxScale = 10, keepAliveS = KEEP_ALIVE_S } = this.#options
    const config = {
      workflow,
      ...servedTask(task, bundle),
      ...(coPlaced.length > 0 && {
        coPlaced: coPlaced.map(({ task: each, bundle: own }) => ({
          ...servedTask(each, own),
          after: each.parents,
        })),
      }),
      ...(node !== undefined && { node }),
      concurrency: 1,
      token,
    }
    const isPython = [task, ...coPlaced.map((each) => each.task)].some(({ runtime }) => runtime === 'python')
    const image = isPython ? images.python : images.node
    const { isolate: isIsolated } = task
    const concurrency = isIsolated ? 1 : CONTAINER_CONCURRENCY
    const parts = [
      config,
      image,
      concurrency,
      maxScale,
      keepAliveS,
      files.map(({ path, hash }) => [path, hash]),
      // so that a function without it keeps the revision it has
      ...(isIsolated ? ['isolated'] : []),
    ]
    return {
      deployment: this.#deployment,
      group: this.#group,
      namespace: this.#cluster.namespace,
      image,
      config,
      files,
      configHash: createHash('sha256').update(JSON.stringify(parts)).digest('hex'),
      concurrency,
      isIsolated,
      maxScale,
      keepAliveS,
    }
  }

  /** Makes a service what it was before somebody changed it. */
  async #restore(serving: Serving): Promise<void> {
    const { url, generation } = await this.#services.route(serving.task, serving.manifest)
    this.#serving.set(serving.task, { ...serving, url, generation })
    this.#tell(serving.task, 'ready')
  }

  /** Looks at the functions from time to time: what others change or remove is said. */
  #watch(): void {
    if (this.#watching) return
    this.#watching = this.#watchLoop()
    this.#containers.follow(this.#closing.signal)
  }

  async #watchLoop(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      for (const serving of [...this.#serving.values()]) await this.#look(serving).catch(() => {})
      await sleep(WATCH_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async #look(serving: Serving): Promise<void> {
    const { task, service, revision } = serving
    const object = await this.#services.read(service)
    const changing = [...this.#preparing.values()].some((each) => each.task === task)
    if (this.#serving.get(task) !== serving || changing) return
    this.#logs.set(task, await this.#services.logs(functionLabels(this.#group, task)))
    if (!object) {
      this.#tell(task, 'failed', `Somebody has deleted the Knative Service '${service}'. Deploy again.`)
      return
    }
    const { state, message } = conditionOf(object)
    // without a container it is well, unless one should be there and does not start
    const trouble = this.#containers.missing(revision)
    if (object.metadata.generation !== serving.generation)
      this.#tell(task, 'failed', `Somebody has changed the Knative Service '${service}'. Deploy again.`)
    else if (trouble) this.#tell(task, 'failed', `The function '${task}' does not start: ${trouble.message}`)
    else if (state === 'failed') this.#tell(task, 'failed', message)
    else this.#tell(task, 'ready')
  }

  #servingBy(revision: string): Serving | undefined {
    return [...this.#serving.values()].find((each) => each.revision === revision)
  }

  #tell(task: string, state: FunctionStatus['state'], message?: string): void {
    const before = this.#statuses.get(task)
    if (before?.state === state && before.message === message) return
    this.#statuses.set(task, { name: task, state, ...(message !== undefined && { message }) })
    this.#onStatus()
  }
}
