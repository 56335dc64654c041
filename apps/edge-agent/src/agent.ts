/** The agent of one device: its connection, its deployments, what it reports. */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import {
  type Applied,
  type AppliedFunction,
  type Desired,
  type LogLine,
  SessionReset,
  type Up,
} from '@hivemind/agent-protocol'
import { DeviceChannel } from '@hivemind/agent-protocol/node'
import { Bundles } from './bundles.ts'
import { Deployments } from './deployments.ts'
import { FlowHost } from './flow.ts'
import type { HostedFunctions, HostedFunctionsOptions } from './hosted-functions.ts'
import { LogForwarder } from './logs.ts'
import type { AgentOptions } from './options.ts'
import { Meter } from './telemetry.ts'

const TELEMETRY_MS = 5_000
const BYTES_PER_MB = 2 ** 20

export interface AgentEvents {
  /** Connected or not, and other changes, as lines for the agent's own output. */
  onLine: (text: string) => void
  /** Another agent has taken over the device id. */
  onDisplaced: () => void
  /** The broker refuses the device's credential. */
  onRefused: () => void
}

export class Agent {
  readonly #options: AgentOptions
  readonly #channel: DeviceChannel
  readonly #deployments: Deployments
  readonly #functionsOptions: HostedFunctionsOptions
  /** There once the device is an edge node. */
  #functions: Promise<HostedFunctions> | undefined
  readonly #logs: LogForwarder
  readonly #timer: NodeJS.Timeout
  readonly #startedAt = performance.now()

  private constructor(options: AgentOptions, version: string, flow: FlowSlot, events: AgentEvents) {
    this.#options = options
    const { device, fleet, token, broker, dir } = options
    const now = (): number => performance.now()
    const meter = new Meter(options, now)
    const boot = randomUUID()
    const bundles = new Bundles(dir)
    let applied: Omit<Applied, 'boot' | 'functions'> = { revision: 0, deployments: [] }
    let functions: AppliedFunction[] = []
    const report = (): void =>
      this.#channel.applied({ ...applied, boot, ...(functions.length > 0 && { functions }) })
    this.#logs = new LogForwarder((message) => this.#channel.send(message), now)
    this.#deployments = new Deployments({
      token,
      scratch: dir,
      bundles,
      flow: flow.host,
      context: {
        device,
        slots: os.availableParallelism(),
        now,
        send: (message) => {
          // What a task has logged comes before its end.
          if (message.t === 'done' || message.t === 'failed') void this.#logs.flush({ urgent: true })
          return this.#send(message)
        },
        whenRoom: () => this.#channel.whenRoom(),
        log: (run, line) => this.#logs.add(run, line),
        worked: (ms) => meter.worked(ms),
      },
      report: (now) => {
        applied = now
        report()
        for (const { id, state, error } of applied.deployments)
          events.onLine(`deployment ${id}: ${state}${error === undefined ? '' : ` (${error})`}`)
      },
    })
    this.#functionsOptions = {
      device,
      token,
      dir: path.join(dir, 'functions'),
      bundles,
      report: (states) => {
        functions = states
        report()
      },
      onLine: events.onLine,
    }
    flow.onArrival = (deployment, task, message) => this.#deployments.arrived(deployment, task, message)
    this.#channel = new DeviceChannel({
      url: broker,
      fleet,
      device,
      password: token,
      boot,
      hello: () => ({
        class: options.class,
        version,
        runtimes: ['node', 'python', 'nfu'],
        cores: os.availableParallelism(),
        memoryMB: Math.round(os.totalmem() / BYTES_PER_MB),
        pid: process.pid,
      }),
      onDesired: (desired) => {
        this.#logs.linesPerSecond = desired.limits?.logLinesPerSecond ?? this.#logs.linesPerSecond
        this.#host(desired)
        this.#deployments.apply(desired)
      },
      onMessage: (message) => this.#deployments.handle(message),
      onSession: (_service, previous) => {
        // a service that restarted starts again what is still to be done
        if (previous !== '') this.#deployments.abandonRuns()
      },
      onConnection: (connected, reason) =>
        events.onLine(connected ? reason : `not connected to ${broker}: ${reason}`),
      onDisplaced: events.onDisplaced,
      onRefused: events.onRefused,
      log: (level, text) => this.#logs.add('', agentLine(now(), level, text)),
    })
    const measure = async (): Promise<void> =>
      this.#channel.telemetry(await meter.sample(this.#channel.roundTripMs))
    this.#timer = setInterval(() => void measure(), TELEMETRY_MS)
    void measure()
  }

  /** Starts an agent: it connects by itself, as often as needed. */
  static async start(options: AgentOptions, version: string, events: AgentEvents): Promise<Agent> {
    const userDir = path.join(options.dir, 'node-red')
    // Node-RED writes files there, none of which is of use to a later start
    await rm(userDir, { recursive: true, force: true })
    await mkdir(userDir, { recursive: true })
    const slot: Partial<FlowSlot> = { onArrival: () => {} }
    slot.host = await FlowHost.start(userDir, (...arrival) => slot.onArrival?.(...arrival), events.onLine)
    return new Agent(options, version, slot as FlowSlot, events)
  }

  /** Time since the service was heard last, or since the start, in ms. */
  get silenceMs(): number {
    return performance.now() - Math.max(this.#channel.serviceSeenAt, this.#startedAt)
  }

  /** The device's id. */
  get device(): string {
    return this.#options.device
  }

  /** Ends all work and every process of a task, and says goodbye. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([this.#deployments.close(), this.#functions?.then((functions) => functions.close())])
    await this.#channel.close()
  }

  /** Has the functions of the desired state. What they need is loaded by edge nodes alone. */
  #host(desired: Desired): void {
    if (!desired.functions?.length && !this.#functions) return
    this.#functions ??= import('./hosted-functions.ts').then(
      (loaded) => new loaded.HostedFunctions(this.#functionsOptions),
    )
    void this.#functions.then((functions) => functions.apply(desired))
  }

  /** Resolves when the service has the message. After a restart of the service the work it belongs to is abandoned. */
  async #send(message: Up): Promise<void> {
    try {
      await this.#channel.send(message)
    } catch (error) {
      if (error instanceof SessionReset) return
      const text = `A message was lost: ${(error as Error).message}`
      this.#logs.add('', agentLine(performance.now(), 'error', text))
    }
  }
}

/** The flow host, and where its messages go; the two are made one after the other. */
interface FlowSlot {
  host: FlowHost
  onArrival: (...arrival: Parameters<Deployments['arrived']>) => void
}

const agentLine = (at: number, level: LogLine['level'], text: string): LogLine => ({
  at,
  level,
  source: 'agent',
  text,
})
