/** Containers of functions that take calls directly, without the way through the cluster's ingress and Knative's queue-proxy (Speedo 3). */
import type { DirectCall } from '../functions/client.ts'
import { held, knows } from './container-requests.ts'
import { LoadReport } from './load-report.ts'
import { CONTAINER, LABELS } from './manifests.ts'

/** Container of Knative beside each function: it counts requests for the autoscaler. */
const QUEUE_CONTAINER = 'queue-proxy'
const QUEUE_PORT = 'queue-port'
/** A container that gives no proof is asked again after so long, each time after twice that, and at the end so often, in ms. */
const PROOF_AGAIN_MS = 250
const PROOF_AGAIN_LIMIT_MS = 10_000
/** The queue-proxy is told for so long that there is a call, in ms; the autoscaler looks once a second. */
const HOLD_MS = 200

/** A pod, as far as its address and readiness go. */
export interface AddressedPod {
  metadata?: { name?: string; labels?: Record<string, string>; deletionTimestamp?: unknown }
  spec?: { containers?: { name: string; ports?: { name?: string; containerPort: number }[] }[] }
  status?: { podIP?: string; conditions?: { type: string; status: string }[] }
}

/** Where a container is asked: by way of the queue-proxy, and itself where it tells its port. */
interface Addresses {
  counted: string
  own: string | undefined
}

/** A ready container of a function. */
interface Container extends Addresses {
  revision: string
  /** Where calls go: to itself once the queue-proxy takes a report of them. */
  url: string
  report?: LoadReport
  /** It has shown that it is the function, and not somebody else at that address as this machine sees it. */
  proved: boolean
  /** Calls that it has from here. */
  calls: number
  proving?: NodeJS.Timeout | 'now'
  /** When it gives no proof it is asked again after so long, in ms. */
  againMs: number
}

/** A call that waits for a container with room. */
interface WaitingCall {
  revision: string
  concurrency: number
  give: (call: DirectCall) => void
}

/**
 * The ready containers of a group of functions. A container takes calls only when it has proved that it knows the function's
 * token: from outside the cluster its address leads nowhere, or to somebody else.
 */
export class DirectPods {
  readonly #tokenOf: (revision: string) => string | undefined
  readonly #onChange: () => void
  /** By name of the pod. */
  readonly #containers = new Map<string, Container>()
  /** The first came first. */
  readonly #waiting = new Set<WaitingCall>()
  #closed = false

  /**
   * @param tokenOf the token of a revision's function; `undefined` while nobody is to call it
   * @param onChange told when `count` changes
   */
  constructor(tokenOf: (revision: string) => string | undefined, onChange: () => void = () => {}) {
    this.#tokenOf = tokenOf
    this.#onChange = onChange
  }

  /** Takes what the cluster tells of a pod. */
  changed(pod: AddressedPod, gone: boolean): void {
    const { name = '', labels } = pod.metadata ?? {}
    const at = gone ? undefined : addressesOf(pod)
    const known = this.#containers.get(name)
    if (known && known.counted === at?.counted) return
    if (known) {
      this.#forget(name, known)
      this.#onChange()
    }
    const revision = labels?.[LABELS.revision]
    if (at === undefined || revision === undefined || this.#closed) return
    const container: Container = {
      ...at,
      revision,
      url: at.counted,
      proved: false,
      calls: 0,
      againMs: PROOF_AGAIN_MS,
    }
    this.#containers.set(name, container)
    this.#onChange()
    this.prove()
  }

  /** Asks those for a proof that have given none; to be called again once a token is known. */
  prove(): void {
    for (const [name, container] of this.#containers)
      if (!container.proved && container.proving === undefined) void this.#proveOne(name, container)
  }

  /** The container of a revision with the fewest calls, for one call; `undefined` when none has room. */
  take(revision: string, concurrency: number): DirectCall | undefined {
    let best: Container | undefined
    for (const container of this.#containers.values())
      if (
        container.revision === revision &&
        container.proved &&
        container.calls < (best?.calls ?? concurrency)
      )
        best = container
    if (!best) return undefined
    const container = best
    const { url, report } = container
    container.calls += 1
    report?.began()
    return {
      url,
      done: (taken) => {
        container.calls -= 1
        report?.ended()
        if (taken || !container.proved) return this.#giveRoom()
        this.#doubt(container)
      },
    }
  }

  /** Like `take`, but waits for room until `over` aborts. */
  takeWhenFree(revision: string, concurrency: number, over: AbortSignal): Promise<DirectCall | undefined> {
    return new Promise((resolve) => {
      const call: WaitingCall = {
        revision,
        concurrency,
        give: (direct) => {
          over.removeEventListener('abort', stop)
          resolve(direct)
        },
      }
      const stop = (): void => {
        this.#waiting.delete(call)
        resolve(undefined)
      }
      if (over.aborted) return stop()
      over.addEventListener('abort', stop, { once: true })
      this.#waiting.add(call)
      this.#giveRoom()
    })
  }

  /** Ready containers of a revision, and how many of them take calls directly. */
  count(revision: string): { ready: number; direct: number } {
    const ready = [...this.#containers.values()].filter((each) => each.revision === revision)
    return { ready: ready.length, direct: ready.filter(({ proved }) => proved).length }
  }

  close(): void {
    this.#closed = true
    for (const [name, container] of this.#containers) this.#forget(name, container)
  }

  /** Has calls go past the queue-proxy, where it can be told of them and the container is reached itself. */
  async #leadPast(container: Container, token: string): Promise<void> {
    const { counted, own } = container
    if (own === undefined || !(await held(counted, token, 0)) || !(await knows(own, token))) return
    const hold = async (): Promise<void> => {
      if (!(await held(counted, token, HOLD_MS))) throw new Error('not held')
    }
    container.report = new LoadReport(hold, () => this.#doubt(container))
    container.url = own
  }

  /** A container that did not take its call, or whose load is not counted, has to prove itself again. */
  #doubt(container: Container): void {
    if (!container.proved) return
    container.proved = false
    container.url = container.counted
    delete container.report
    this.#onChange()
    this.prove()
  }

  #giveRoom(): void {
    for (const call of this.#waiting) {
      const direct = this.take(call.revision, call.concurrency)
      if (!direct) continue
      this.#waiting.delete(call)
      call.give(direct)
    }
  }

  #forget(name: string, container: Container): void {
    container.proved = false
    if (typeof container.proving === 'object') clearTimeout(container.proving)
    this.#containers.delete(name)
  }

  async #proveOne(name: string, container: Container): Promise<void> {
    const token = this.#tokenOf(container.revision)
    if (token === undefined) return
    container.proving = 'now'
    const proved = await knows(container.counted, token)
    if (this.#containers.get(name) !== container) return
    container.proved = proved
    if (proved) {
      delete container.proving
      container.againMs = PROOF_AGAIN_MS
      this.#onChange()
      this.#giveRoom()
      await this.#leadPast(container, token)
    } else {
      container.proving = setTimeout(() => {
        delete container.proving
        this.prove()
      }, container.againMs).unref()
      container.againMs = Math.min(2 * container.againMs, PROOF_AGAIN_LIMIT_MS)
    }
  }
}

/** Where a pod takes calls; `undefined` while it is not ready, or when it is to end. */
function addressesOf({ metadata, spec, status }: AddressedPod): Addresses | undefined {
  if (metadata?.deletionTimestamp) return undefined
  if (!status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True')) return undefined
  const portsOf = (container: string) => spec?.containers?.find(({ name }) => name === container)?.ports ?? []
  const port = portsOf(QUEUE_CONTAINER).find(({ name }) => name === QUEUE_PORT)?.containerPort
  const [own] = portsOf(CONTAINER)
  const ip = status.podIP
  if (!ip || port === undefined) return undefined
  const at = (of: number): string => `http://${ip.includes(':') ? `[${ip}]` : ip}:${of}`
  return { counted: at(port), own: own && at(own.containerPort) }
}
