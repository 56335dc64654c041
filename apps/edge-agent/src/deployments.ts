/** Brings the device from what it runs to what it is to run, one revision after the other. */
import type {
  Applied,
  AppliedDeployment,
  Desired,
  DesiredDeployment,
  DesiredFunction,
  Down,
} from '@hivemind/agent-protocol'
import type { NodeRedNode, Plan } from '@hivemind/synthesis'
import { type Bundles, dataPortOf, type Wanted } from './bundles.ts'
import { PatientDataPort } from './data.ts'
import { Deployment, type DeploymentContext } from './deployment.ts'
import type { FlowHost } from './flow.ts'
import type { FlowMessage } from './messages.ts'

/** Messages that wait for a deployment that is still being fetched. */
const MAX_WAITING_MESSAGES = 10_000

export interface DeploymentsOptions {
  token: string
  /** Folder for tasks that have no bundle. */
  scratch: string
  bundles: Bundles
  flow: FlowHost
  context: Omit<DeploymentContext, 'sendOnFlow'>
  /** Reports how far the desired state is applied. */
  report: (applied: Omit<Applied, 'boot'>) => void
}

interface Entry {
  wanted: DesiredDeployment
  dataUrl: string
  state: AppliedDeployment
  deployment?: Deployment
}

export class Deployments {
  readonly #options: DeploymentsOptions
  readonly #entries = new Map<string, Entry>()
  /** Deployment of each run that was started. */
  readonly #runs = new Map<string, string>()
  readonly #waiting = new Map<string, Down[]>()
  #next: Desired | undefined
  /** The one that is being applied, or was last. */
  #current: Desired | undefined
  #revision = -1
  #applying: Promise<void> | undefined
  #closed = false
  /** Ends requests of a revision that is no longer wanted. */
  #fetching: PatientDataPort | undefined

  constructor(options: DeploymentsOptions) {
    this.#options = options
  }

  /** Takes a new desired state. Only the last one counts when several come. */
  apply(desired: Desired): void {
    // the broker repeats it with every connection
    const repeated = this.#applying && JSON.stringify(this.#next ?? this.#current) === JSON.stringify(desired)
    if (this.#closed || repeated) return
    this.#next = desired
    this.#fetching?.close()
    this.#applying ??= this.#applyAll().finally(() => {
      this.#applying = undefined
    })
  }

  /** A message of the service, for the deployment of its run. */
  handle(message: Down): void {
    if (message.t === 'start') this.#runs.set(message.run, message.deployment)
    const id = this.#runs.get(message.run)
    if (id === undefined) return
    if (message.t === 'stop' && message.lane === undefined) this.#runs.delete(message.run)
    const deployment = this.#entries.get(id)?.deployment
    if (deployment && !this.#waiting.has(id)) {
      deployment.handle(message)
      return
    }
    const waiting = this.#waiting.get(id) ?? []
    this.#waiting.set(id, waiting)
    if (waiting.length < MAX_WAITING_MESSAGES) waiting.push(message)
  }

  /** A message of the flow has reached a task's node. */
  arrived(id: string, task: string, message: FlowMessage): void {
    this.#entries.get(id)?.deployment?.arrived(task, message)
  }

  /** Ends the work for all runs, whose service is gone. */
  abandonRuns(): void {
    this.#runs.clear()
    this.#waiting.clear()
    for (const { deployment } of this.#entries.values()) deployment?.abandonRuns()
  }

  /** Ends all work and every process of a task. */
  async close(): Promise<void> {
    this.#closed = true
    this.#fetching?.close()
    await Promise.all([...this.#entries.values()].map(({ deployment }) => deployment?.close()))
    await this.#applying
  }

  async #applyAll(): Promise<void> {
    for (let desired = this.#next; desired && !this.#closed; desired = this.#next) {
      this.#next = undefined
      this.#revision = desired.revision
      this.#current = desired
      await this.#applyOne(desired)
    }
  }

  async #applyOne({ deployments, dataUrl }: Desired): Promise<void> {
    for (const wanted of deployments) {
      const entry = this.#entries.get(wanted.id)
      const same =
        entry && JSON.stringify([entry.wanted, entry.dataUrl]) === JSON.stringify([wanted, dataUrl])
      if (same && entry.state.state === 'ready') continue
      await this.#set(wanted, dataUrl)
      if (this.#closed) return
    }
    const ids = new Set(deployments.map(({ id }) => id))
    for (const [id, { deployment }] of [...this.#entries]) {
      if (ids.has(id)) continue
      this.#entries.delete(id)
      this.#waiting.delete(id)
      await this.#options.flow.unload(id)
      await deployment?.close()
    }
    this.#report()
    await this.#sweep()
  }

  async #sweep(): Promise<void> {
    const { bundles, context } = this.#options
    try {
      await bundles.sweep(
        wantedOf(
          [...this.#entries.values()].map(({ wanted }) => wanted),
          this.#current?.functions ?? [],
        ),
      )
    } catch (error) {
      const text = `What is no longer needed could not be removed: ${(error as Error).message}`
      context.log('', { at: context.now(), level: 'warn', source: 'agent', text })
    }
  }

  /** Makes a deployment what it is to be. What ran before goes on until its successor is ready. */
  async #set(wanted: DesiredDeployment, dataUrl: string): Promise<void> {
    const { id } = wanted
    const entry: Entry = this.#entries.get(id) ?? { wanted, dataUrl, state: { id, state: 'fetching' } }
    this.#entries.set(id, entry)
    entry.state = { id, state: 'fetching' }
    this.#report()
    try {
      const former = entry.deployment
      entry.deployment = await this.#start(wanted, dataUrl)
      Object.assign(entry, { wanted, dataUrl, state: { id, state: 'ready' } })
      await former?.close()
      if (this.#closed) await entry.deployment.close()
      else this.#release(id, entry.deployment)
    } catch (error) {
      entry.state = { id, state: 'failed', error: (error as Error).message }
      this.#giveUpWaiting(id, entry.state.error ?? '')
    }
    this.#report()
  }

  async #start(wanted: DesiredDeployment, dataUrl: string): Promise<Deployment> {
    const { token, scratch, bundles, flow, context } = this.#options
    const { id } = wanted
    const data = new PatientDataPort(dataPortOf(dataUrl, context.device, token))
    this.#fetching = data
    try {
      const plan = (await bundles.json(wanted.plan, data)) as Plan
      if (plan?.schema !== 'hivemind.plan/1') throw new Error('Its plan is not one that this agent can read.')
      const nodes =
        wanted.flow === undefined ? [] : ((await bundles.json(wanted.flow, data)) as NodeRedNode[])
      const dirs: Record<string, string> = {}
      for (const [task, hash] of Object.entries(wanted.bundles)) dirs[task] = await bundles.unpack(hash, data)
      await flow.load(id, nodes)
      const sendOnFlow: DeploymentContext['sendOnFlow'] = (task, message) => flow.send(id, task, message)
      const deployment = new Deployment(plan, dirs, scratch, data, { ...context, sendOnFlow }, wanted.cores)
      // a successor is ready when its processes are; a first deployment need not wait for them
      const warm = deployment.warm()
      if (this.#entries.get(id)?.deployment) await warm
      return deployment
    } catch (error) {
      data.close()
      throw error
    } finally {
      this.#fetching = undefined
    }
  }

  #release(id: string, deployment: Deployment): void {
    const waiting = this.#waiting.get(id) ?? []
    this.#waiting.delete(id)
    for (const message of waiting) deployment.handle(message)
  }

  /** Runs that waited for a deployment that has failed hear of it. */
  #giveUpWaiting(id: string, error: string): void {
    const { log, now, device } = this.#options.context
    const runs = new Set((this.#waiting.get(id) ?? []).map(({ run }) => run))
    this.#waiting.delete(id)
    const text = `The run cannot start on device '${device}': ${error}`
    for (const run of runs) log(run, { at: now(), level: 'error', source: 'agent', text })
  }

  #report(): void {
    if (this.#closed) return
    const deployments = [...this.#entries.values()].map(({ state }) => state)
    this.#options.report({ revision: this.#revision, deployments })
  }
}

function wantedOf(deployments: readonly DesiredDeployment[], functions: readonly DesiredFunction[]): Wanted {
  return {
    blobs: [
      ...deployments.flatMap(({ plan, flow }) => [plan, flow ?? []].flat()),
      ...functions.map(({ config }) => config),
    ],
    bundles: [
      ...deployments.flatMap(({ bundles }) => Object.values(bundles)),
      ...functions.flatMap(({ bundle }) => bundle ?? []),
    ],
  }
}
