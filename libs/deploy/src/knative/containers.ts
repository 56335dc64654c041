/** The containers of a group of functions on a cluster, and the ways of calls to them (Speedo 3, HiveMind 4.3). */
import { TaskError } from '@hivemind/task-runner'
import type { DirectCall, FunctionEndpoint } from '../functions/client.ts'
import type { Cluster } from './cluster.ts'
import { LABELS } from './manifests.ts'
import { DirectPods } from './pods.ts'
import { type Trouble, Troubles } from './troubles.ts'
import { Waking } from './waking.ts'

/** What a call of a revision needs. */
export interface Addressed {
  /** What the function is called: its task, with its edge node where it is on one. */
  task: string
  revision: string
  url: string
  token: string
  /** Calls that a container takes at once; 1 in records of earlier versions, which do not tell. */
  concurrency?: number
}

/** Whose containers they are, and who is told of them. */
export interface ContainersOwner {
  group: string
  /** The token of a revision's function; `undefined` while nobody is to call it. */
  tokenOf(revision: string): string | undefined
  onStatus(): void
  onTrouble(revision: string, trouble: Trouble): void
  /** Why the cluster does not tell of containers. */
  onSilence(why: string): void
}

/** Leads calls: directly to a container where one is reached, else by Knative's own way; starts functions that have gone to zero. */
export class Containers {
  readonly #cluster: Cluster
  readonly #owner: ContainersOwner
  readonly #ingress: string | undefined
  readonly #pods: DirectPods
  readonly #troubles: Troubles
  readonly #waking: Waking
  /** Whether the cluster tells of pods. */
  #told = false

  /**
   * @param ingress address of Knative's ingress, where the names of services do not lead to it
   * @param keepAliveS an idle container stays for so long
   */
  constructor(cluster: Cluster, ingress: string | undefined, keepAliveS: number, owner: ContainersOwner) {
    this.#cluster = cluster
    this.#ingress = ingress
    this.#owner = owner
    this.#pods = new DirectPods(owner.tokenOf, owner.onStatus)
    this.#troubles = new Troubles(owner.onTrouble)
    this.#waking = new Waking(1000 * keepAliveS)
  }

  /** Has the cluster tell of containers until the signal. */
  follow(signal: AbortSignal): void {
    this.#cluster.followPods(
      { [LABELS.group]: this.#owner.group },
      {
        onPod: (pod, gone) => {
          this.#troubles.changed(pod, gone)
          this.#pods.changed(pod, gone)
        },
        onTold: () => {
          this.#told = true
        },
        onSilence: ({ message }) => {
          this.#told = false
          this.#owner.onSilence(message)
        },
      },
      signal,
    )
  }

  /** To be called once a revision has a token. */
  prove(): void {
    this.#pods.prove()
  }

  /** Ready containers of a revision, and how many of them take calls directly. */
  count(revision: string): { ready: number; direct: number } {
    return this.#pods.count(revision)
  }

  /** Why a revision has no container though it should; `undefined` for one that has, or is at zero. */
  missing(revision: string): Trouble | undefined {
    return this.count(revision).ready === 0 ? this.#troubles.lasting(revision) : undefined
  }

  /** Where a revision takes calls. */
  endpoint(addressed: Addressed): FunctionEndpoint {
    const { revision, token } = addressed
    return {
      ...this.#route(addressed),
      token,
      isAtZero: () => this.#told && this.count(revision).ready === 0,
      whyBroken: async (since) => (this.#told ? this.#troubles.since(revision, since) : undefined),
      direct: (signal) => this.#direct(addressed, signal),
    }
  }

  /** Starts a function that has gone to zero, and does not wait. */
  wake(addressed: Addressed): void {
    if (this.count(addressed.revision).ready === 0)
      this.#waking.start(addressed.revision, this.#route(addressed))
  }

  async close(): Promise<void> {
    this.#pods.close()
    await this.#waking.close()
  }

  /** Knative's own way to a revision. */
  #route({ url }: Addressed): Pick<FunctionEndpoint, 'url' | 'host'> {
    return this.#ingress === undefined ? { url } : { url: this.#ingress, host: new URL(url).host }
  }

  /**
   * A container with room. While the function starts from zero its calls wait for one, or for Knative's route to have led to one:
   * the activator may hold what comes by the route until the containers that end are gone (30 s), though a new one is ready.
   * Rejects with `TaskError` where none will ever be ready: Knative itself would have calls wait.
   */
  async #direct(addressed: Addressed, signal: AbortSignal | undefined): Promise<DirectCall | undefined> {
    const { task, revision, concurrency = 1 } = addressed
    const free = this.#pods.take(revision, concurrency)
    if (free) return free
    this.wake(addressed)
    const answered = this.#waking.starting(revision)
    const inVain = new AbortController()
    let trouble: Trouble | undefined
    const stop = this.#troubles.whenHopeless(revision, (found) => {
      trouble = found
      inVain.abort()
    })
    try {
      const over = AbortSignal.any([
        inVain.signal,
        ...(answered ? [answered] : []),
        ...(signal ? [signal] : []),
      ])
      const direct = answered && (await this.#pods.takeWhenFree(revision, concurrency, over))
      if (direct || !trouble || this.count(revision).ready > 0) return direct
      throw new TaskError('load', `The function '${task}' does not start: ${trouble.message}`)
    } finally {
      stop()
    }
  }
}
