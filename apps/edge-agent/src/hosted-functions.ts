/** The functions that this device has for other devices: it is an edge node (Vertex, section 3.2). */
import type { AppliedFunction, Desired, DesiredFunction } from '@hivemind/agent-protocol'
import { type FunctionSpec, LocalFunctions, type PreparedProcess } from '@hivemind/task-runner/functions'
import { type Bundles, dataPortOf } from './bundles.ts'
import { PatientDataPort } from './data.ts'
import { ReverseConnections } from './reverse-connections.ts'

export interface HostedFunctionsOptions {
  device: string
  token: string
  /** Folder of configurations and logs. */
  dir: string
  bundles: Bundles
  /** Told each change of state, with the state of every function. */
  report: (states: AppliedFunction[]) => void
  /** Lines for the agent's own output. */
  onLine: (text: string) => void
}

/** A function that is to be here. */
interface Hosted {
  wanted: DesiredFunction
  state: AppliedFunction
  /** Ends its start. */
  stopping: AbortController
  process?: PreparedProcess
  connections?: ReverseConnections
}

/** Starts, replaces and ends functions as the service wants them, and lets the service in to them. */
export class HostedFunctions {
  readonly #options: HostedFunctionsOptions
  readonly #functions: LocalFunctions
  readonly #hosted = new Map<string, Hosted>()
  /** The one of each name that has taken the place of others. */
  readonly #current = new Map<string, Hosted>()
  #dataUrl = ''

  constructor(options: HostedFunctionsOptions) {
    this.#options = options
    this.#functions = new LocalFunctions({
      dir: options.dir,
      mode: 'bound',
      onStatus: ({ name, state, message }) => {
        const hosted = this.#current.get(name)
        if (!hosted || state === 'starting' || state === 'stopped') return
        this.#set(hosted, state, state === 'ready' ? undefined : message)
      },
      onLog: (name, { text }) => options.onLine(`${name}: ${text}`),
    })
  }

  /** Takes the functions that the device is to have. What goes on running is not touched. */
  apply({ functions = [], dataUrl }: Pick<Desired, 'functions' | 'dataUrl'>): void {
    if (dataUrl !== this.#dataUrl) {
      this.#dataUrl = dataUrl
      for (const hosted of this.#hosted.values()) if (hosted.connections) this.#letIn(hosted)
    }
    const wanted = new Set(functions.map(({ id }) => id))
    for (const [id, hosted] of this.#hosted) if (!wanted.has(id)) this.#drop(hosted)
    for (const each of functions) if (!this.#hosted.has(each.id)) void this.#start(each)
    for (const name of [...this.#current.keys()]) this.#settle(name)
    this.#report()
  }

  /** Ends every function. */
  async close(): Promise<void> {
    for (const hosted of this.#hosted.values()) {
      hosted.stopping.abort()
      hosted.connections?.close()
    }
    this.#hosted.clear()
    this.#current.clear()
    await this.#functions.stopAll()
  }

  async #start(wanted: DesiredFunction): Promise<void> {
    const { id, name } = wanted
    const { bundles, device, token, dir } = this.#options
    const hosted: Hosted = { wanted, state: { id, state: 'starting' }, stopping: new AbortController() }
    this.#hosted.set(id, hosted)
    const { signal } = hosted.stopping
    const data = new PatientDataPort(dataPortOf(this.#dataUrl, device, token))
    signal.addEventListener('abort', () => data.close())
    try {
      const spec = (await bundles.json(wanted.config, data)) as Omit<FunctionSpec, 'dir' | 'token'>
      const folder = wanted.bundle === undefined ? dir : await bundles.unpack(wanted.bundle, data)
      signal.throwIfAborted()
      const process = await this.#functions.prepare({ ...spec, dir: folder, token: wanted.token }, signal)
      if (signal.aborted) return process.discard()
      hosted.process = process
      this.#letIn(hosted)
      this.#set(hosted, 'ready')
      this.#settle(name)
    } catch (error) {
      if (!signal.aborted) this.#set(hosted, 'failed', (error as Error).message)
    }
  }

  /** One that is wanted no more: what is under way ends first, where another takes its place. */
  #drop(hosted: Hosted): void {
    const { id, name } = hosted.wanted
    this.#hosted.delete(id)
    hosted.connections?.close()
    hosted.stopping.abort()
    if (this.#current.get(name) !== hosted) hosted.process?.discard()
  }

  /** Has the right one of a name take the place of the others. */
  #settle(name: string): void {
    const current = this.#current.get(name)
    if (current && this.#hosted.get(current.wanted.id) === current) return
    const wanted = [...this.#hosted.values()].filter((each) => each.wanted.name === name)
    const next = wanted.find(({ process }) => process !== undefined)
    if (next) {
      this.#current.set(name, next)
      next.process?.commit()
    } else if (current && wanted.length === 0) {
      this.#current.delete(name)
      void this.#functions.stop(name)
    }
  }

  #letIn(hosted: Hosted): void {
    const { device, token, onLine } = this.#options
    const { id, name } = hosted.wanted
    hosted.connections?.close()
    hosted.connections = new ReverseConnections({
      service: this.#dataUrl,
      user: device,
      password: token,
      id,
      target: async () => {
        const before = hosted.process?.endpoint
        return this.#current.get(name) !== hosted && before
          ? (await before()).url
          : (await this.#functions.endpoint(name)).url
      },
      onLine: (text) => onLine(`${name}: ${text}`),
    })
  }

  #set(hosted: Hosted, state: AppliedFunction['state'], error?: string): void {
    const { id, name } = hosted.wanted
    hosted.state = { id, state, ...(error !== undefined && { error }) }
    this.#options.onLine(`function ${name}: ${state}${error === undefined ? '' : ` (${error})`}`)
    this.#report()
  }

  #report(): void {
    this.#options.report([...this.#hosted.values()].map(({ state }) => state))
  }
}
