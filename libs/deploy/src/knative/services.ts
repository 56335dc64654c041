/** What is asked of a cluster, and waited for, to make functions serve there and to remove them again. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, ClusterObject } from './cluster.ts'
import { ClusterError } from './errors.ts'
import { CONTAINER, LABELS, SERVING } from './manifests.ts'
import { conditionOf, hopelessness, type KnativeObject, type Pod, type Readiness } from './readiness.ts'

const POLL_MS = 500
/** Longest time until a change of traffic has arrived, in ms. */
const ROUTE_LIMIT_MS = 60_000
const LOG_LINES = 200
const SAID_LINES = 5
/** How often is tried to remove what was made, and after how long again, in ms: a minute in all. */
const REMOVAL_TRIES = 8
const REMOVAL_AGAIN_MS = 5_000

/** The Knative Services of functions, without what is known of them here. */
export class KnativeServices {
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  read(service: string): Promise<KnativeObject | null> {
    return this.#cluster.read<KnativeObject>(SERVING, 'Service', service)
  }

  /** Waits until a revision is ready. Rejects with what its container says when it never will be. */
  async ready(task: string, revision: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const object = await this.#cluster.read<KnativeObject>(SERVING, 'Revision', revision)
      const { state, message } = object ? conditionOf(object) : ({ state: 'waiting' } as Readiness)
      if (state === 'ready') return
      const why = state === 'failed' ? message : await this.#hopeless(revision)
      if (why !== undefined) {
        const said = (await this.logs({ [LABELS.revision]: revision }).catch(() => [])).map(textOf)
        throw new ClusterError(
          [`The function '${task}' does not get ready: ${why}`, ...said.slice(-SAID_LINES)].join('\n'),
        )
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #hopeless(revision: string): Promise<string | undefined> {
    for (const pod of await this.#cluster.list<Pod & ClusterObject>('v1', 'Pod', {
      [LABELS.revision]: revision,
    })) {
      const why = hopelessness(pod, CONTAINER)
      if (why !== undefined) return why
    }
    return undefined
  }

  /** Sends the calls of a service where the manifest says, and resolves with its address once that has arrived. */
  async route(task: string, manifest: ClusterObject): Promise<{ url: string; generation: number }> {
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

  /** Removes what served before; its last calls end in the time that Knative gives them. */
  async retire(revision: string): Promise<void> {
    await this.#cluster.remove(SERVING, 'Revision', revision)
    await this.removeContents({ [LABELS.revision]: revision })
  }

  async removeContents(labels: Record<string, string>): Promise<void> {
    for (const kind of ['ConfigMap', 'Secret'])
      for (const { metadata } of await this.#cluster.list<ClusterObject>('v1', kind, labels))
        await this.#cluster.remove('v1', kind, metadata.name)
  }

  logs(labels: Record<string, string>): Promise<string[]> {
    return this.#cluster.logs(labels, CONTAINER, LOG_LINES)
  }

  /** Removes all that has these labels. A cluster that is away for a while comes back: nobody removes later what is left now. */
  async removeAll(labels: Record<string, string>): Promise<void> {
    for (let left = REMOVAL_TRIES; ; left -= 1)
      try {
        const services = await this.#cluster.list<ClusterObject>(SERVING, 'Service', labels)
        for (const { metadata } of services) await this.#cluster.remove(SERVING, 'Service', metadata.name)
        return await this.removeContents(labels)
      } catch (error) {
        if (left === 1 || !(error instanceof ClusterError && error.passing)) throw error
        await sleep(REMOVAL_AGAIN_MS)
      }
  }

  /**
   * Waits until a revision beside the one that serves has a name at the ingress, and resolves to its address.
   * @param isWanted asked before each look: the revision may have been taken back meanwhile
   */
  async addressBeside(service: string, revision: string, isWanted: () => boolean): Promise<string> {
    for (const limit = Date.now() + ROUTE_LIMIT_MS; ; await sleep(POLL_MS)) {
      if (!isWanted()) throw new ClusterError('The new function has been taken back.')
      const object = await this.read(service)
      const route = object?.status?.traffic?.find((each) => each.revisionName === revision)
      if (object && route?.url && conditionOf(object).state === 'ready') return route.url
      if (Date.now() > limit)
        throw new ClusterError(`The ingress of the cluster has no way to the revision '${revision}'.`)
    }
  }
}

/** The text of a line that a function host writes. */
export function textOf(line: string): string {
  try {
    const { text } = JSON.parse(line) as { text?: unknown }
    return typeof text === 'string' ? text : line
  } catch {
    return line
  }
}
