/** Functions as Knative Services: made, replaced and removed revision by revision (HiveMind 4.3). */
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bundle } from '@hivemind/synthesis'
import type { FunctionEndpoint } from '../functions/client.ts'
import type { FunctionHosting, FunctionStatus, FunctionWork, PreparedFunction } from '../functions/hosting.ts'
import { servedTask } from '../functions/served.ts'
import { ProjectError } from '../project.ts'
import type { Cluster, ClusterObject } from './cluster.ts'
import { ClusterError } from './errors.ts'
import {
  type ClusterFunction,
  CONTAINER,
  type CodeFile,
  contentsOf,
  LABELS,
  revisionName,
  SERVING,
  serviceName,
  serviceOf,
} from './manifests.ts'
import { DirectPods } from './pods.ts'
import { conditionOf, hopelessness, type KnativeObject, type Pod, type Readiness } from './readiness.ts'

const POLL_MS = 500
/** How often functions are looked at that are to run, in ms. */
const WATCH_MS = 5_000
/** Longest time until a change of traffic has arrived, in ms. */
const ROUTE_LIMIT_MS = 60_000
const LOG_LINES = 200
/** How often is tried to remove what was made, and after how long again, in ms: a minute in all. */
const REMOVAL_TRIES = 8
const REMOVAL_AGAIN_MS = 5_000
const SAID_LINES = 5

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

/** A function that serves. Plain data, without what its Secret holds but the token. */
interface Serving {
  task: string
  service: string
  revision: string
  configHash: string
  token: string
  url: string
  /** As it was applied. */
  manifest: ClusterObject
  /** Of the object at the cluster; a change by others makes it larger. */
  generation: number
  /** Calls that a container takes at once; 1 in records of earlier versions, which do not tell. */
  concurrency?: number
}

/** What a call of a revision needs. */
type Addressed = Pick<Serving, 'url' | 'token' | 'revision' | 'concurrency'>

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
  readonly #options: KnativeOptions
  readonly #group: string
  readonly #deployment: string
  readonly #onStatus: () => void
  readonly #serving = new Map<string, Serving>()
  /** Revisions that are to serve and do not yet, by name; they have an address once one has been asked for. */
  readonly #preparing = new Map<
    string,
    Omit<Addressed, 'url'> & { url?: string; task: string; service: string }
  >()
  readonly #statuses = new Map<string, FunctionStatus>()
  readonly #logs = new Map<string, string[]>()
  readonly #log: Owner['log']
  readonly #pods: DirectPods
  readonly #closing = new AbortController()
  #watching: Promise<void> | undefined

  constructor(cluster: Cluster, options: KnativeOptions, { group, deployment, onStatus, log }: Owner) {
    this.#cluster = cluster
    this.#options = options
    this.#group = group
    this.#deployment = deployment
    this.#onStatus = onStatus
    this.#log = log
    this.#pods = new DirectPods(
      (revision) =>
        this.#preparing.get(revision)?.token ??
        [...this.#serving.values()].find((each) => each.revision === revision)?.token,
      onStatus,
    )
  }

  async prepare(work: FunctionWork, signal: AbortSignal): Promise<PreparedFunction> {
    const task = work.task.name
    const known = this.#serving.get(task)
    const there = known && (await this.#cluster.read(SERVING, 'Service', known.service))
    // What somebody has deleted is made anew.
    const before = there ? known : undefined
    const token = known?.token ?? randomBytes(24).toString('base64url')
    const next = this.#functionOf(work, await readCode(work), token)
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
        await this.#cluster.remove(SERVING, 'Revision', revision)
        await this.#removeContents({ [LABELS.revision]: revision })
      } finally {
        this.#preparing.delete(revision)
      }
    }
    this.#preparing.set(revision, { task, service, revision, token, concurrency: next.concurrency })
    try {
      for (const object of contentsOf(next)) await this.#cluster.apply(object)
      await this.#cluster.apply(
        serviceOf(next, before ? { serving: before.revision, beside: revision } : { serving: revision }),
      )
      await this.#ready(task, revision, signal)
    } catch (error) {
      this.#logs.set(task, await this.#logsOf({ [LABELS.revision]: revision }).catch(() => []))
      await discard().catch(() => {})
      if (before) this.#tell(task, 'ready')
      else this.#tell(task, 'failed', (error as Error).message)
      throw error
    }
    return {
      ...(before && { endpoint: () => this.#endpointBeside(revision) }),
      commit: async () => {
        const manifest = serviceOf(next, { serving: revision })
        const { url, generation } = await this.#route(task, manifest)
        const { configHash, concurrency } = next
        const serving = { task, service, revision, configHash, token, url, manifest, generation, concurrency }
        this.#serving.set(task, serving)
        this.#preparing.delete(revision)
        this.#pods.prove()
        if (before) await this.#retire(before)
        this.#tell(task, 'ready')
        this.#watch()
      },
      discard,
    }
  }

  async attach(records: readonly Record<string, unknown>[]): Promise<void> {
    for (const record of records as unknown as Serving[]) {
      if (!(await this.#cluster.read(SERVING, 'Service', record.service))) continue
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
    return this.#at(serving)
  }

  statuses(): FunctionStatus[] {
    return [...this.#statuses.values()].map((status) => {
      const revision = this.#serving.get(status.task)?.revision
      return revision === undefined
        ? status
        : { ...status, containers: { revision, ...this.#pods.count(revision) } }
    })
  }

  logs(task: string): string[] {
    return (this.#logs.get(task) ?? []).map(textOf)
  }

  async stop(task: string): Promise<void> {
    this.#serving.delete(task)
    this.#statuses.delete(task)
    await this.#cluster.remove(SERVING, 'Service', serviceName(this.#group, task))
    await this.#removeContents({ [LABELS.group]: this.#group, [LABELS.task]: task })
    this.#onStatus()
  }

  async stopAll(): Promise<void> {
    await this.close()
    const labels = { [LABELS.group]: this.#group }
    const removeAll = async (): Promise<void> => {
      const services = await this.#cluster.list<ClusterObject>(SERVING, 'Service', labels)
      for (const { metadata } of services) await this.#cluster.remove(SERVING, 'Service', metadata.name)
      await this.#removeContents(labels)
    }
    // A cluster that is away for a while comes back, and nobody removes afterwards what is left now.
    for (let left = REMOVAL_TRIES; ; left -= 1)
      try {
        await removeAll()
        break
      } catch (error) {
        if (left === 1 || !(error instanceof ClusterError && error.passing)) throw error
        await sleep(REMOVAL_AGAIN_MS)
      }
    this.#serving.clear()
    this.#statuses.clear()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#pods.close()
    await this.#watching
  }

  #at({ url, token, revision, concurrency = 1 }: Addressed): FunctionEndpoint {
    const { ingress } = this.#options
    return {
      ...(ingress === undefined ? { url } : { url: ingress, host: new URL(url).host }),
      token,
      direct: () => this.#pods.take(revision, concurrency),
    }
  }

  /** Where a revision beside the one that serves takes calls: it has a name of its own, which the ingress learns after a moment. */
  async #endpointBeside(revision: string): Promise<FunctionEndpoint> {
    for (const limit = Date.now() + ROUTE_LIMIT_MS; ; await sleep(POLL_MS)) {
      const prepared = this.#preparing.get(revision)
      if (!prepared) throw new ClusterError('The new function has been taken back.')
      if (prepared.url !== undefined) return this.#at(prepared as Addressed)
      const object = await this.#cluster.read<KnativeObject>(SERVING, 'Service', prepared.service)
      const route = object?.status?.traffic?.find((each) => each.revisionName === revision)
      if (object && route?.url && conditionOf(object).state === 'ready') prepared.url = route.url
      else if (Date.now() > limit)
        throw new ClusterError(
          `The ingress of the cluster has no way to the new function '${prepared.task}'.`,
        )
    }
  }

  #functionOf({ workflow, task }: FunctionWork, files: CodeFile[], token: string): ClusterFunction {
    const { images, maxScale = 10, keepAliveS = 30 } = this.#options
    const config = { ...servedTask(workflow, task), concurrency: 1, token }
    const image = task.runtime === 'python' ? images.python : images.node
    const concurrency = task.isolate ? 1 : CONTAINER_CONCURRENCY
    const parts = [
      config,
      image,
      concurrency,
      maxScale,
      keepAliveS,
      files.map(({ path, hash }) => [path, hash]),
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
      maxScale,
      keepAliveS,
    }
  }

  /** Waits until a revision is ready. Rejects with what its container says when it never will be. */
  async #ready(task: string, revision: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const object = await this.#cluster.read<KnativeObject>(SERVING, 'Revision', revision)
      const { state, message } = object ? conditionOf(object) : ({ state: 'waiting' } as Readiness)
      if (state === 'ready') return
      const why = state === 'failed' ? message : await this.#hopeless(revision)
      if (why !== undefined) {
        const said = (await this.#logsOf({ [LABELS.revision]: revision }).catch(() => [])).map(textOf)
        throw new ClusterError(
          [`The function '${task}' does not get ready: ${why}`, ...said.slice(-SAID_LINES)].join('\n'),
        )
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #hopeless(revision: string): Promise<string | undefined> {
    for (const pod of await this.#cluster.list<Pod>('v1', 'Pod', { [LABELS.revision]: revision })) {
      const why = hopelessness(pod, CONTAINER)
      if (why !== undefined) return why
    }
    return undefined
  }

  /** Sends the calls of a service where the manifest says, and resolves with its address once that has arrived. */
  async #route(task: string, manifest: ClusterObject): Promise<{ url: string; generation: number }> {
    const { generation = 0 } = (await this.#cluster.apply(manifest)).metadata
    const name = manifest.metadata.name
    for (const limit = Date.now() + ROUTE_LIMIT_MS; ; ) {
      const object = await this.#cluster.read<KnativeObject>(SERVING, 'Service', name)
      const { state, message } = object
        ? conditionOf(object, generation)
        : ({ state: 'waiting' } as Readiness)
      if (state === 'ready' && object?.status?.url) return { url: object.status.url, generation }
      if (state === 'failed' || Date.now() > limit)
        throw new ClusterError(
          `The calls of the function '${task}' are not led to it: ${message ?? 'the ingress of the cluster is not ready'}`,
        )
      await sleep(POLL_MS)
    }
  }

  /** Makes a service what it was before somebody changed it. */
  async #restore(serving: Serving): Promise<void> {
    const { url, generation } = await this.#route(serving.task, serving.manifest)
    this.#serving.set(serving.task, { ...serving, url, generation })
    this.#tell(serving.task, 'ready')
  }

  /** Removes what served before; its last calls end in the time that Knative gives them. */
  async #retire(before: Serving): Promise<void> {
    await this.#cluster.remove(SERVING, 'Revision', before.revision)
    await this.#removeContents({ [LABELS.revision]: before.revision })
  }

  async #removeContents(labels: Record<string, string>): Promise<void> {
    for (const kind of ['ConfigMap', 'Secret'])
      for (const { metadata } of await this.#cluster.list<ClusterObject>('v1', kind, labels))
        await this.#cluster.remove('v1', kind, metadata.name)
  }

  #logsOf(labels: Record<string, string>): Promise<string[]> {
    return this.#cluster.logs(labels, CONTAINER, LOG_LINES)
  }

  /** Looks at the functions from time to time: what others change or remove is said. */
  #watch(): void {
    if (this.#watching) return
    this.#watching = this.#watchLoop()
    this.#cluster.followPods(
      { [LABELS.group]: this.#group },
      (pod, gone) => this.#pods.changed(pod, gone),
      ({ message }) => this.#log('warn', `${message} Until it does, calls take the way through the ingress.`),
      this.#closing.signal,
    )
  }

  async #watchLoop(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      for (const serving of [...this.#serving.values()]) await this.#look(serving).catch(() => {})
      await sleep(WATCH_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async #look(serving: Serving): Promise<void> {
    const { task, service } = serving
    const object = await this.#cluster.read<KnativeObject>(SERVING, 'Service', service)
    const changing = [...this.#preparing.values()].some((each) => each.task === task)
    if (this.#serving.get(task) !== serving || changing) return
    this.#logs.set(task, await this.#logsOf({ [LABELS.group]: this.#group, [LABELS.task]: task }))
    if (!object) {
      this.#tell(task, 'failed', `Somebody has deleted the Knative Service '${service}'. Deploy again.`)
      return
    }
    const { state, message } = conditionOf(object)
    if (object.metadata.generation !== serving.generation)
      this.#tell(task, 'failed', `Somebody has changed the Knative Service '${service}'. Deploy again.`)
    else if (state === 'failed') this.#tell(task, 'failed', message)
    else this.#tell(task, 'ready')
  }

  #tell(task: string, state: FunctionStatus['state'], message?: string): void {
    const before = this.#statuses.get(task)
    if (before?.state === state && before.message === message) return
    this.#statuses.set(task, { task, state, ...(message !== undefined && { message }) })
    this.#onStatus()
  }
}

/** The files of a bundle, checked against their hashes. */
async function readCode({ bundle, projectDir }: FunctionWork): Promise<CodeFile[]> {
  return Promise.all((bundle?.files ?? []).map((file) => readFileOf(projectDir, file)))
}

async function readFileOf(projectDir: string, file: Bundle['files'][number]): Promise<CodeFile> {
  const content = await readFile(path.join(projectDir, file.path))
  if (createHash('sha256').update(content).digest('hex') !== file.hash)
    throw new ProjectError(`'${file.path}' changed while the deployment was made: deploy again.`)
  return { path: file.path, hash: file.hash, content }
}

/** The text of a line that a function host writes. */
function textOf(line: string): string {
  try {
    const { text } = JSON.parse(line) as { text?: unknown }
    return typeof text === 'string' ? text : line
  } catch {
    return line
  }
}
