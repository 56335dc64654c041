/** What a target needs of a Kubernetes cluster, with failures as sentences. */
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  CoreV1Api,
  KubeConfig,
  KubernetesObject,
  KubernetesObjectApi,
  V1Pod,
  V1PodList,
} from '@kubernetes/client-node'
import { ClusterError, sentenceOf } from './errors.ts'
import { useContext } from './kubeconfig.ts'

/** Which cluster, and where in it. */
export interface ClusterOptions {
  /** The text of a kubeconfig; the file of `KUBECONFIG`, `~/.kube/config` or the pod's own account when absent. */
  kubeconfig?: string
  /** A context of it; its current one when absent. */
  context?: string
  /** The context's namespace, or `default`, when absent. */
  namespace?: string
}

/** An object of the cluster, as far as it is looked at here. */
export interface ClusterObject extends KubernetesObject {
  apiVersion: string
  kind: string
  metadata: NonNullable<KubernetesObject['metadata']> & { name: string }
}

/** Who is told of pods. */
export interface PodFollower {
  onPod(pod: V1Pod, gone: boolean): void
  /** All that are there have been told of. */
  onTold(): void
  /** Why the cluster does not tell. */
  onSilence(why: ClusterError): void
}

/** Something that an account may do, or not. */
export interface Permission {
  /** API group; empty for the core. */
  group: string
  /** In plural, with its part behind a slash: `pods/log`. */
  resource: string
  verb: string
}

type Kubernetes = typeof import('@kubernetes/client-node')

/** Owner of the fields that are applied. */
const FIELD_MANAGER = 'hivemind'
const MAX_LOG_BYTES = 256_000
/** After a failure, pods are followed again in so long, in ms. */
const FOLLOW_AGAIN_MS = 5_000
/** A call that the cluster could not answer is made again after so long, in ms. */
const AGAIN_MS = [500, 2_000]
/** Longest time until a cluster gives its first answer, in ms. */
const FIRST_ANSWER_MS = 5_000

/** A namespace of a cluster. */
export class Cluster {
  readonly namespace: string
  /** Address of its API, for people. */
  readonly server: string
  readonly #objects: KubernetesObjectApi
  readonly #core: CoreV1Api
  readonly #kubernetes: Kubernetes
  readonly #config: KubeConfig

  private constructor(kubernetes: Kubernetes, config: KubeConfig, namespace: string, server: string) {
    this.namespace = namespace
    this.server = server
    this.#kubernetes = kubernetes
    this.#config = config
    this.#objects = kubernetes.KubernetesObjectApi.makeApiClient(config)
    this.#core = config.makeApiClient(kubernetes.CoreV1Api)
  }

  /** Reads the kubeconfig; nothing is sent. Rejects with `ClusterError`. */
  static async open({ kubeconfig, context, namespace }: ClusterOptions = {}): Promise<Cluster> {
    // The library takes most of a second to load, and few need it.
    const kubernetes = await import('@kubernetes/client-node')
    const config = new kubernetes.KubeConfig()
    try {
      if (kubeconfig === undefined) config.loadFromDefault()
      else config.loadFromString(kubeconfig)
    } catch (error) {
      throw new ClusterError(`The kubeconfig cannot be read: ${(error as Error).message}.`)
    }
    if (context !== undefined) useContext(config, context)
    const server = config.getCurrentCluster()?.server
    if (!server)
      throw new ClusterError('The kubeconfig names no cluster: give a file and, if needed, a context.')
    const own = config.getContextObject(config.getCurrentContext())?.namespace
    return new Cluster(kubernetes, config, namespace ?? own ?? 'default', server)
  }

  /** Version of its API server, such as `v1.34.1`. Rejects with `ClusterError`. */
  async version(): Promise<string> {
    const api = this.#config.makeApiClient(this.#kubernetes.VersionApi)
    return (await this.#ask('read its version', () => inTime(api.getCode()))).gitVersion
  }

  /** The versions of a group of its API; none when it has no such group. Rejects with `ClusterError`. */
  async groupVersions(name: string): Promise<string[]> {
    const api = this.#config.makeApiClient(this.#kubernetes.ApisApi)
    const { groups } = await this.#ask('list its API groups', () => api.getAPIVersions())
    return groups.find((group) => group.name === name)?.versions.map(({ version }) => version) ?? []
  }

  /** Whether there is the namespace; `undefined` when the account may not look. Rejects with `ClusterError`. */
  async hasNamespace(): Promise<boolean | undefined> {
    const name = this.namespace
    try {
      await this.#ask(`read Namespace '${name}'`, () => this.#core.readNamespace({ name }))
      return true
    } catch (error) {
      if (error instanceof ClusterError && error.status === 404) return false
      if (error instanceof ClusterError && error.status === 403) return undefined
      throw error
    }
  }

  /** Whether the account may do something in the namespace. Rejects with `ClusterError`. */
  async may({ group, resource: path, verb }: Permission): Promise<boolean> {
    const [resource = '', subresource] = path.split('/')
    const { namespace } = this
    const asked = { group, resource, verb, namespace, ...(subresource && { subresource }) }
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: asked },
    }
    const api = this.#config.makeApiClient(this.#kubernetes.AuthorizationV1Api)
    const answer = await this.#ask('ask for its permissions', () =>
      api.createSelfSubjectAccessReview({ body }),
    )
    return answer.status?.allowed === true
  }

  /**
   * Makes an object as it is described, or changes it to that (server-side apply). Rejects with `ClusterError`.
   * @param options with `dryRun` the cluster only says whether it would
   */
  apply<T extends ClusterObject>(object: T, { dryRun = false } = {}): Promise<T> {
    const { kind, metadata } = object
    return this.#ask(`apply ${kind} '${metadata.name}'`, () =>
      this.#objects.patch<T>(
        object,
        undefined,
        dryRun ? 'All' : undefined,
        FIELD_MANAGER,
        true,
        this.#kubernetes.PatchStrategy.ServerSideApply,
      ),
    )
  }

  /** An object; `null` when there is none. Rejects with `ClusterError`. */
  async read<T extends ClusterObject>(apiVersion: string, kind: string, name: string): Promise<T | null> {
    const header = { apiVersion, kind, metadata: { name, namespace: this.namespace } }
    try {
      return await this.#ask(`read ${kind} '${name}'`, () =>
        this.#objects.read<T>(header as T & typeof header),
      )
    } catch (error) {
      if (error instanceof ClusterError && error.status === 404 && !error.unknownKind) return null
      throw error
    }
  }

  /** Objects of a kind with these labels. Rejects with `ClusterError`. */
  async list<T extends ClusterObject>(
    apiVersion: string,
    kind: string,
    labels: Record<string, string>,
  ): Promise<T[]> {
    const { items } = await this.#ask(`list ${kind}`, () =>
      this.#objects.list<T>(
        apiVersion,
        kind,
        this.namespace,
        undefined,
        undefined,
        undefined,
        undefined,
        selectorOf(labels),
      ),
    )
    return items.map((item) => ({ ...item, apiVersion, kind }))
  }

  /** Removes an object, if it is there. Rejects with `ClusterError`. */
  async remove(apiVersion: string, kind: string, name: string): Promise<void> {
    const header = { apiVersion, kind, metadata: { name, namespace: this.namespace } }
    try {
      await this.#ask(`delete ${kind} '${name}'`, () => this.#objects.delete(header))
    } catch (error) {
      if (!(error instanceof ClusterError && error.status === 404)) throw error
    }
  }

  /** An object as YAML. */
  yaml(object: unknown): string {
    return this.#kubernetes.dumpYaml(object, { noRefs: true, lineWidth: -1 })
  }

  /** The last lines of a container of the pods with these labels; of its run before when it has just been started again. */
  async logs(labels: Record<string, string>, container: string, lines: number): Promise<string[]> {
    const { namespace } = this
    const { items } = await this.#ask('list pods', () =>
      this.#core.listNamespacedPod({ namespace, labelSelector: selectorOf(labels) }),
    )
    const read = (name: string, previous: boolean): Promise<string> =>
      this.#core
        .readNamespacedPodLog({
          namespace,
          name,
          container,
          previous,
          tailLines: lines,
          limitBytes: MAX_LOG_BYTES,
        })
        // A pod that has not begun, or is gone, has no log.
        .catch(() => '')
    const texts = await Promise.all(
      items.map(async ({ metadata: { name = '' } = {} }) => (await read(name, false)) || read(name, true)),
    )
    return texts.flatMap((text) => text.split('\n').filter((line) => line !== '')).slice(-lines)
  }

  /**
   * Tells of the pods with these labels, as they are and as they change, until the signal. A cluster that does not tell is asked
   * again and again.
   */
  followPods(
    labels: Record<string, string>,
    { onPod, onTold, onSilence }: PodFollower,
    signal: AbortSignal,
  ): void {
    const { namespace } = this
    const labelSelector = selectorOf(labels)
    const list = (): Promise<V1PodList> =>
      this.#ask('watch pods', () => this.#core.listNamespacedPod({ namespace, labelSelector }))
    const url = `/api/v1/namespaces/${namespace}/pods`
    const informer = this.#kubernetes.makeInformer<V1Pod>(this.#config, url, list, labelSelector)
    const tell = (gone: boolean) => (pod: V1Pod) => onPod(pod, gone)
    informer.on('add', tell(false))
    informer.on('update', tell(false))
    informer.on('delete', tell(true))
    let told = false
    const start = async (): Promise<void> => {
      if (signal.aborted) return
      told = true
      // a failure to list them is told as an event, and rejects nothing
      await informer.start().catch(failed)
      if (told) onTold()
    }
    const failed = (error: unknown): void => {
      told = false
      if (signal.aborted) return
      onSilence(sentenceOf(error, 'watch pods', this.server, namespace))
      setTimeout(start, FOLLOW_AGAIN_MS).unref()
    }
    informer.on('error', failed)
    signal.addEventListener('abort', () => void informer.stop(), { once: true })
    void start()
  }

  /** Makes a call that may be made twice; one that the cluster could not answer at the moment is made again. */
  async #ask<T>(what: string, call: () => Promise<T>): Promise<T> {
    for (const wait of [...AGAIN_MS, undefined]) {
      try {
        return await call()
      } catch (error) {
        const failure = sentenceOf(error, what, this.server, this.namespace)
        if (wait === undefined || !failure.passing) throw failure
        await sleep(wait)
      }
    }
    throw new Error('unreachable')
  }
}

/** The library waits for minutes when nobody is at an address. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new Error(`nothing came in ${FIRST_ANSWER_MS / 1_000} s`)),
      FIRST_ANSWER_MS,
    ).unref()
  })
  return Promise.race([answer, late])
}

const selectorOf = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',')
