/** Why containers of functions that serve end or do not start, as the cluster tells of their pods. */
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONTAINER, LABELS } from './manifests.ts'
import { type ContainerEnd, hopelessness, howEnded, OUT_OF_MEMORY, type Pod } from './readiness.ts'

/** The cluster tells of the end of a container within so long, in ms; looked for so often. Of one that a busy node has put out it tells last. */
const NEWS_LIMIT_MS = 10_000
const NEWS_POLL_MS = 100

/** What is the matter with a pod of a function. */
export interface Trouble {
  /** What the function's name stands before. */
  message: string
  /** The container used more memory than it may. */
  memory?: true
  /** Nothing runs in the pod until the cluster has room again, or, where it is `hopeless`, until somebody does something. Otherwise it is over. */
  lasting?: 'for now' | 'hopeless'
}

/** Troubles of the pods of a group of functions, by the clock of `performance`. */
export class Troubles {
  /** By name of the pod. */
  readonly #ofPods = new Map<string, Trouble & { key: string; revision: string; at: number }>()
  readonly #onTrouble: (revision: string, trouble: Trouble) => void
  /** By revision. */
  readonly #news = new EventEmitter().setMaxListeners(0)

  /** @param onTrouble told of each trouble once */
  constructor(onTrouble: (revision: string, trouble: Trouble) => void) {
    this.#onTrouble = onTrouble
  }

  /** Takes what the cluster tells of a pod. What ended a pod is known a while longer than the pod. */
  changed(pod: Pod, gone: boolean): void {
    const { name = '', labels, deletionTimestamp } = pod.metadata ?? {}
    const revision = labels?.[LABELS.revision]
    const known = this.#ofPods.get(name)
    if (revision === undefined) return
    if (gone) {
      if (known?.lasting) this.#ofPods.delete(name)
      else setTimeout(() => this.#ofPods.delete(name), NEWS_LIMIT_MS).unref()
      return
    }
    const trouble = deletionTimestamp === undefined ? troubleOf(pod) : undefined
    if (!trouble) {
      if (known?.lasting) this.#ofPods.delete(name)
      return
    }
    const isKnown = known?.key === trouble.key
    this.#ofPods.set(name, { ...trouble, revision, at: isKnown ? known.at : performance.now() })
    if (isKnown) return
    this.#onTrouble(revision, trouble)
    this.#news.emit(revision)
  }

  /** What keeps containers of a revision from starting now. */
  lasting(revision: string): Trouble | undefined {
    return this.#find(revision, ({ lasting }) => lasting !== undefined)
  }

  /** Calls back when nobody may hope for a container of a revision, at once where that is known. Call what it returns in the end. */
  whenHopeless(revision: string, callBack: (trouble: Trouble) => void): () => void {
    const look = (): void => {
      const trouble = this.#find(revision, ({ lasting }) => lasting === 'hopeless')
      if (trouble) callBack(trouble)
    }
    this.#news.on(revision, look)
    look()
    return () => this.#news.off(revision, look)
  }

  /**
   * What broke off a call of a revision that began at a time and has just failed; waits a moment for the news. When nothing ended, it is
   * what keeps containers from starting.
   */
  async since(revision: string, at: number, limitMs = NEWS_LIMIT_MS): Promise<Trouble | undefined> {
    for (const limit = performance.now() + limitMs; ; await sleep(NEWS_POLL_MS)) {
      const found = this.#find(revision, (trouble) => trouble.at >= at && trouble.lasting !== 'for now')
      if (found) return found
      if (performance.now() > limit) return this.lasting(revision)
    }
  }

  #find(revision: string, is: (trouble: Trouble & { at: number }) => boolean): Trouble | undefined {
    return [...this.#ofPods.values()].findLast((each) => each.revision === revision && is(each))
  }
}

/** What is the matter with a pod; `undefined` when nothing is. `key` tells one trouble of a pod from the next. */
export function troubleOf(pod: Pod): (Trouble & { key: string }) | undefined {
  const { reason, message = '', conditions = [], containerStatuses = [] } = pod.status ?? {}
  const conditionOf = (type: string) => conditions.find((each) => each.type === type)
  if (reason === 'Evicted') return { key: reason, message: `its node has put its container out: ${message}` }
  const scheduled = conditionOf('PodScheduled')
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return {
      key: scheduled.reason,
      lasting: 'for now',
      message: `no node of the cluster has room for its container: ${scheduled.message ?? 'the cluster says no more'}`,
    }
  const status = containerStatuses.find(({ name }) => name === CONTAINER)
  const ended = status?.state?.terminated ?? status?.lastState?.terminated
  const hopeless = conditionOf('Ready')?.status === 'True' ? undefined : hopelessness(pod, CONTAINER)
  if (hopeless === undefined && (!ended || ended.exitCode === 0)) return undefined
  return {
    // of a container that is started again, each end is another trouble
    key: `${hopeless === undefined} ${ended?.reason} ${status?.restartCount}`,
    message: [hopeless ?? howEnded(pod, CONTAINER, ended ?? {}), ...saidLast(ended)].join(' '),
    ...(ended?.reason === OUT_OF_MEMORY && { memory: true }),
    ...(hopeless !== undefined && { lasting: 'hopeless' as const }),
  }
}

/** The last line of the log of a container that failed: Knative has the cluster keep it. */
function saidLast(ended: ContainerEnd | undefined): string[] {
  const line = ended?.message?.trimEnd().split('\n').at(-1)
  return line ? [line] : []
}
