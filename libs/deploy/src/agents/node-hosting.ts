/** Functions on edge nodes that are machines of their own: agents that dial in, start them, and let the service in (Vertex, section 3.2). */
import { createHash, randomBytes } from 'node:crypto'
import type { AppliedFunction, DesiredFunction } from '@hivemind/agent-protocol'
import { TaskError } from '@hivemind/task-runner'
import type { FunctionEndpoint } from '../functions/client.ts'
import type { FunctionHosting, FunctionStatus, FunctionWork, PreparedFunction } from '../functions/hosting.ts'
import { servedTask } from '../functions/served.ts'
import type { FleetHub } from '../hub.ts'
import { nextRevision, putBundle, putJson } from './desired.ts'

/** Time that edge nodes get to call in again, when none is there, before calls on them fail, in ms. */
const RETURN_MS = 10_000

/** A function on an edge node, as it is kept over restarts of the service. */
export interface NodeFunction extends DesiredFunction {
  task: string
  /** The machine. */
  device: string
  /** Of all that makes it another function. */
  hash: string
}

export interface NodeHostingOptions {
  hub: Pick<FleetHub, 'agents' | 'blobs' | 'dataUrlFor' | 'reverse'>
  /** Invocations of one function that may be under way at once. */
  concurrency: number
  onStatus: () => void
}

/** The functions that deployments which follow each other have on such machines: each is told all that it is to have. */
export class NodeHosting implements FunctionHosting {
  readonly concurrency: number
  readonly #hub: NodeHostingOptions['hub']
  /** Those that serve, by name. */
  readonly #serving = new Map<string, { record: NodeFunction; endpoint: FunctionEndpoint }>()
  /** Those that are to take their place. */
  readonly #coming = new Set<NodeFunction>()
  /** Since when machines are away, by the clock of this process in ms. */
  readonly #awaySince = new Map<string, number>()
  readonly #unwatch: () => void

  constructor({ hub, concurrency, onStatus }: NodeHostingOptions) {
    this.#hub = hub
    this.concurrency = concurrency
    this.#unwatch = hub.agents.watch((device) => {
      if (!this.#devices().has(device)) return
      this.#isThere(device)
      onStatus()
    })
  }

  async prepare(work: FunctionWork, signal: AbortSignal): Promise<PreparedFunction> {
    const record = await this.#recordOf(work)
    const before = this.#serving.get(work.name)?.record
    if (before?.hash === record.hash) return { commit: async () => {}, discard: async () => {} }
    const { agents, reverse } = this.#hub
    const { id, name, device } = record
    const drop = async (): Promise<void> => {
      if (!this.#coming.delete(record)) return
      reverse.forget(id)
      await this.#tell(device)
    }
    this.#coming.add(record)
    reverse.expect(id, device)
    try {
      await this.#tell(device)
      const settled = (): AppliedFunction | null => {
        if (!agents.isUp(device)) throw new TaskError('crash', `Edge node '${device}' is away.`)
        const state = this.#stateOf(record)
        return state?.state === 'ready' || state?.state === 'failed' ? state : null
      }
      const { state, error = '' } = await agents.until(settled, [device], `'${name}' is ready`, signal)
      if (state === 'failed') throw new TaskError('load', `On edge node '${device}': ${error}`)
    } catch (error) {
      await drop()
      throw error
    }
    const endpoint: FunctionEndpoint = { url: reverse.urlOf(id), token: record.token }
    return {
      endpoint: async () => endpoint,
      commit: async () => {
        if (!this.#coming.delete(record)) return
        const former = this.#serving.get(name)
        this.#serving.set(name, { record, endpoint })
        if (former) this.#retire(former)
        await this.#tell(device, former?.record.device)
      },
      discard: drop,
    }
  }

  async attach(records: readonly Record<string, unknown>[]): Promise<void> {
    const { reverse } = this.#hub
    for (const record of records as unknown as NodeFunction[]) {
      reverse.expect(record.id, record.device)
      const endpoint = { url: reverse.urlOf(record.id), token: record.token }
      this.#serving.set(record.name, { record, endpoint })
    }
    await this.#tell(...this.records().map(({ device }) => device))
  }

  records(): (Record<string, unknown> & NodeFunction)[] {
    return [...this.#serving.values()].map(({ record }) => ({ ...record }))
  }

  /** Calls on a machine that is away go to the next that is there and has the task; when none is, they wait for the first to return. */
  async endpoint(name: string): Promise<FunctionEndpoint> {
    const own = this.#serving.get(name)
    if (!own) throw new TaskError('crash', `The function '${name}' does not run.`)
    const { device, task } = own.record
    const settled = (): FunctionEndpoint | null => {
      const all = [...this.#serving.values()].filter(({ record }) => record.task === task)
      const inTurn = [...all.slice(all.indexOf(own)), ...all.slice(0, all.indexOf(own))]
      const there = inTurn.filter(({ record }) => this.#isThere(record.device))
      const works = there.find(({ record }) => this.#stateOf(record)?.state !== 'failed')
      if (works) return works.endpoint
      const [failed] = there
      if (failed)
        throw new TaskError(
          'crash',
          `The function '${failed.record.name}': ${this.#stateOf(failed.record)?.error}`,
        )
      const lastSeen = Math.max(...all.map(({ record }) => this.#awaySince.get(record.device) ?? 0))
      if (performance.now() - lastSeen < RETURN_MS) return null
      throw new TaskError(
        'crash',
        `Edge node '${device}' and all others have been away for more than ${RETURN_MS / 1000} s.`,
      )
    }
    return this.#hub.agents.until(settled, [device], `'${device}' is back`)
  }

  statuses(): FunctionStatus[] {
    const coming = [...this.#coming].filter(({ name }) => !this.#serving.has(name))
    return [...[...this.#serving.values()].map(({ record }) => record), ...coming].map((record) => {
      const { name, device } = record
      if (!this.#hub.agents.isUp(device))
        return { name, state: 'failed', message: `Edge node '${device}' is away.` }
      const { state = 'starting', error } = this.#stateOf(record) ?? {}
      return { name, state, ...(error !== undefined && { message: error }) }
    })
  }

  logs(name: string): string[] {
    const record = this.records().find((each) => each.name === name)
    return record ? [`The agent of ${record.device} writes the log of its functions on its own machine.`] : []
  }

  async stop(name: string): Promise<void> {
    const serving = this.#serving.get(name)
    if (!serving) return
    this.#serving.delete(name)
    this.#retire(serving)
    await this.#tell(serving.record.device)
  }

  async stopAll(): Promise<void> {
    const devices = this.#devices()
    for (const { id } of this.#coming) this.#hub.reverse.forget(id)
    this.#coming.clear()
    for (const serving of this.#serving.values()) this.#retire(serving)
    this.#serving.clear()
    await this.#tell(...devices)
    this.#unwatch()
  }

  async close(): Promise<void> {
    this.#unwatch()
  }

  async #recordOf(work: FunctionWork): Promise<NodeFunction> {
    const { name, workflow, task, bundle, projectDir, node, machine = '' } = work
    const { blobs } = this.#hub
    const config = await putJson(
      {
        workflow,
        ...servedTask(task, bundle),
        concurrency: task.isolate ? 1 : this.concurrency,
        ...(node !== undefined && { node }),
      },
      blobs,
    )
    const manifest = bundle && (await putBundle(bundle, projectDir, blobs))
    return {
      id: randomBytes(12).toString('hex'),
      name,
      task: task.name,
      device: machine,
      config,
      ...(manifest !== undefined && { bundle: manifest }),
      token: randomBytes(24).toString('base64url'),
      hash: createHash('sha256')
        .update(JSON.stringify([machine, config, manifest]))
        .digest('hex'),
    }
  }

  /** It gets no more calls, and finishes its work. */
  #retire({ record, endpoint }: { record: NodeFunction; endpoint: FunctionEndpoint }): void {
    endpoint.retired = true
    this.#hub.reverse.forget(record.id)
  }

  /** Whether a machine is there; notes since when it is not. */
  #isThere(device: string): boolean {
    const there = this.#hub.agents.isUp(device)
    if (there) this.#awaySince.delete(device)
    else if (!this.#awaySince.has(device)) this.#awaySince.set(device, performance.now())
    return there
  }

  #stateOf({ id, device }: NodeFunction): AppliedFunction | undefined {
    return this.#hub.agents.inventory.get(device)?.applied?.functions?.find((each) => each.id === id)
  }

  #devices(): Set<string> {
    return new Set([...this.records(), ...this.#coming].map(({ device }) => device))
  }

  /** Tells machines what functions they are to have now. */
  async #tell(...devices: (string | undefined)[]): Promise<void> {
    for (const device of new Set(devices)) {
      if (device === undefined || !this.#hub.agents.enrolled.has(device)) continue
      const functions = [...this.records(), ...this.#coming]
        .filter((each) => each.device === device)
        .map(({ id, name, config, bundle, token }): DesiredFunction => {
          return { id, name, config, token, ...(bundle !== undefined && { bundle }) }
        })
      const dataUrl = await this.#hub.dataUrlFor(device)
      this.#hub.agents.tell(device, { revision: nextRevision(), deployments: [], functions, dataUrl })
    }
  }
}
