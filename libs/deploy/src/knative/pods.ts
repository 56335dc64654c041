/** Containers of functions that take calls directly, without the way through the cluster's ingress (Speedo 3). */
import { randomBytes } from 'node:crypto'
import { CHALLENGE_HEADER, PROOF_PATH, proofOf } from '@hivemind/task-runner'
import { Agent, request } from 'undici'
import type { DirectCall } from '../functions/client.ts'
import { LABELS } from './manifests.ts'

/** Container of Knative beside each function: it counts the calls for the autoscaler, which therefore sees direct ones too. */
const QUEUE_CONTAINER = 'queue-proxy'
const QUEUE_PORT = 'queue-port'
/** A container that gives no proof is asked again after so long, each time after twice that, and at the end so often, in ms. */
const PROOF_AGAIN_MS = 250
const PROOF_AGAIN_LIMIT_MS = 10_000
const PROOF_LIMIT_MS = 2_000

/** A pod, as far as its address and readiness go. */
export interface AddressedPod {
  metadata?: { name?: string; labels?: Record<string, string>; deletionTimestamp?: unknown }
  spec?: { containers?: { name: string; ports?: { name?: string; containerPort: number }[] }[] }
  status?: { podIP?: string; conditions?: { type: string; status: string }[] }
}

/** A ready container of a function. */
interface Container {
  revision: string
  url: string
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
    const url = gone ? undefined : addressOf(pod)
    const known = this.#containers.get(name)
    if (known && known.url === url) return
    if (known) {
      this.#forget(name, known)
      this.#onChange()
    }
    const revision = labels?.[LABELS.revision]
    if (url === undefined || revision === undefined || this.#closed) return
    const container: Container = { revision, url, proved: false, calls: 0, againMs: PROOF_AGAIN_MS }
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
    container.calls += 1
    return {
      url: container.url,
      done: (taken) => {
        container.calls -= 1
        if (taken || !container.proved) return this.#giveRoom()
        container.proved = false
        this.#onChange()
        this.prove()
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
    const proved = await knows(container.url, token).catch(() => false)
    if (this.#containers.get(name) !== container) return
    container.proved = proved
    if (proved) {
      delete container.proving
      container.againMs = PROOF_AGAIN_MS
      this.#onChange()
      this.#giveRoom()
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
function addressOf({ metadata, spec, status }: AddressedPod): string | undefined {
  if (metadata?.deletionTimestamp) return undefined
  if (!status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True')) return undefined
  const ports = spec?.containers?.find(({ name }) => name === QUEUE_CONTAINER)?.ports
  const port = ports?.find(({ name }) => name === QUEUE_PORT)?.containerPort
  const ip = status.podIP
  if (!ip || port === undefined) return undefined
  return `http://${ip.includes(':') ? `[${ip}]` : ip}:${port}`
}

const proofs = new Agent({ connect: { timeout: PROOF_LIMIT_MS }, keepAliveTimeout: 1 })

/** Asks whoever listens at an address to show that it knows the token; the token itself is not sent. */
async function knows(url: string, token: string): Promise<boolean> {
  const challenge = randomBytes(16).toString('hex')
  const { statusCode, body } = await request(`${url}${PROOF_PATH}`, {
    headers: { [CHALLENGE_HEADER]: challenge },
    dispatcher: proofs,
    signal: AbortSignal.timeout(PROOF_LIMIT_MS),
  })
  const { proof } = (await body.json()) as { proof?: unknown }
  return statusCode === 200 && proof === proofOf(token, challenge)
}
