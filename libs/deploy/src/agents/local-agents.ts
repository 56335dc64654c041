/**
 * The devices of the local target: agents that are processes of this machine, and those of other machines that dial in
 * (`EnrolledAgents`). Side by side: the processes (`Supervisor`), the channel (`ServiceChannel`) and who is alive (`Liveness`).
 */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Applied, ClockEstimate, Desired, Down, Up } from '@hivemind/agent-protocol'
import { devicePassword, type Log, type OpenLink, ServiceChannel } from '@hivemind/agent-protocol/node'
import { EnrolledAgents } from './enrolled.ts'
import { Inventory } from './inventory.ts'
import { Liveness } from './liveness.ts'
import { type ProcessCommand, type ProcessRecord, Supervisor } from './supervisor.ts'

/** Bounds a hang only: on a busy machine an agent may take a minute to start. */
const START_LIMIT_MS = 180_000
/** Agents pause up to so long between two attempts to connect, in ms. */
const RECONNECT_GRACE_MS = 3_000

const defaultCommand = [
  process.execPath,
  fileURLToPath(new URL('../../../../apps/edge-agent/bin/hivemind-edge-agent.mjs', import.meta.url)),
]

/** A device that is a process of this machine. */
export interface LocalDevice {
  device: string
  class: string
  /** A battery to simulate: capacity in Wh, power without work and for each busy core in W. */
  battery?: { capacityWh: number; idleW: number; coreW: number }
  position?: { x: number; y: number }
}

/** What becomes of the agents. All calls are synchronous. */
export interface LocalAgentsEvents {
  /** A message of an agent, in order; acknowledged when the promise settles. */
  onMessage?: (device: string, message: Up) => void | Promise<void>
  /** An agent ended or is silent. `again`: it is being started again, and `onUp` or another `onLost` follows. */
  onLost?: (device: string, message: string, again: boolean) => void
  /** An agent is there, with a new session: what was sent to a former one is void. */
  onUp?: (device: string) => void
  /** The state of a device has changed; see `inventory`. */
  onChange?: (device: string) => void
}

/** The fleet, its broker, and how long agents live. */
export interface LocalAgentsOptions extends LocalAgentsEvents {
  fleet: string
  secret: string
  /** URL of the broker for an agent; it may lead through a link that is shaped. */
  brokerUrl: (device: string) => string | Promise<string>
  /** Certificates of authorities that agents trust beside the usual ones, as PEM. */
  ca?: string
  openLink: OpenLink
  /** New for every start of the service. */
  boot: string
  /** Folder of the agents; each has one in it. */
  dir: string
  /** Agents end with this process (`bound`), or when they have not heard from a service for so long. */
  life: 'bound' | { leaseSeconds: number }
  /** Program and arguments that start an agent; options are added. */
  command?: readonly string[]
  maxRestarts?: number
  log?: Log
}

/** The agents of this machine: started or attached, watched, spoken to, ended. */
export class LocalAgents {
  readonly channel: ServiceChannel
  readonly inventory: Inventory
  /** Agents of other machines. */
  readonly enrolled: EnrolledAgents
  readonly #options: LocalAgentsOptions
  readonly #devices = new Map<string, LocalDevice>()
  readonly #supervisor: Supervisor
  readonly #liveness: Liveness
  /** Devices whose present agent has a session. */
  readonly #up = new Set<string>()
  /** Called when something about a device has changed. */
  readonly #waiters = new Set<() => void>()
  readonly #watchers = new Set<(device: string) => void>()
  readonly #failed = new Map<string, string>()
  #stopping = false

  constructor(options: LocalAgentsOptions) {
    this.#options = options
    const { fleet, secret, boot, openLink, log, life, maxRestarts } = options
    this.inventory = new Inventory({
      fleet,
      secret,
      clockOf: (device): ClockEstimate | null => this.channel.clockOf(device),
      onChange: (device) => this.#changed(device),
    })
    this.#liveness = new Liveness({ onLost: (device, silentMs) => this.#silent(device, silentMs) })
    this.enrolled = new EnrolledAgents(this.inventory, this.#liveness, {
      onUp: (device) => {
        this.#options.onUp?.(device)
        this.#changed(device)
      },
      onLost: (device, message) => {
        if (this.#stopping) return
        // Nobody starts it again: others take its work over, and it is welcome when it comes back.
        this.#options.onLost?.(device, message, false)
        this.#changed(device)
      },
    })
    this.#supervisor = new Supervisor({
      command: (device) => this.#command(device),
      bound: life === 'bound',
      logFile: (device) => path.join(options.dir, device, 'agent.log'),
      ...(maxRestarts === undefined ? {} : { maxRestarts }),
      onExit: (device, how, again) => this.#exited(device, how, again),
    })
    this.channel = new ServiceChannel({
      openLink,
      fleet,
      boot,
      ...(log ? { log } : {}),
      onHello: (device, hello) => this.inventory.hello(device, hello),
      onPresence: (device, online) => this.inventory.presence(device, online),
      onApplied: (device, applied) => this.inventory.applied(device, applied),
      onTelemetry: (device, telemetry) => this.inventory.telemetry(device, telemetry),
      onMessage: (device, message) => options.onMessage?.(device, message),
      onSession: (device, _, previous) => this.#session(device, previous),
      onBeat: (device) => this.sign(device),
      onConnection: (connected) => {
        if (connected) this.#liveness.resume(RECONNECT_GRACE_MS)
        else this.#liveness.pause()
      },
    })
    this.#liveness.start()
  }

  /** Starts an agent for each device; resolves when all are there. Rejects, with its last lines, when one is not. */
  async start(devices: readonly LocalDevice[]): Promise<void> {
    for (const device of devices) this.#add(device)
    const ids = devices.map(({ device }) => device)
    await Promise.all(ids.map((device) => this.#supervisor.start(device)))
    await this.#whenUp(ids)
  }

  /**
   * Takes up the agents that a former service started; those that have ended meanwhile are started again. Resolves when
   * all are there. They must find the broker where it was.
   */
  async attach(devices: readonly LocalDevice[], records: readonly ProcessRecord[]): Promise<void> {
    for (const device of devices) this.#add(device)
    for (const { device } of devices) this.#meet(device)
    for (const { device } of devices) {
      const record = records.find((each) => each.device === device)
      if (!record || !this.#supervisor.attach(record)) await this.#supervisor.start(device)
    }
    await this.#whenUp(devices.map(({ device }) => device))
  }

  /** The processes of the agents, for `attach` by a later service. */
  records(): ProcessRecord[] {
    return this.#supervisor.records()
  }

  /** Process id of an agent; `undefined` while it has none. */
  pidOf(device: string): number | undefined {
    return this.#supervisor.pidOf(device)
  }

  /** Whether an agent is there, with a session. */
  isUp(device: string): boolean {
    return this.#up.has(device) || this.enrolled.isUp(device)
  }

  /** Says what a device is to run, without waiting for it. */
  tell(device: string, desired: Desired): void {
    this.channel.setDesired(device, desired)
  }

  /** Removes a device of another machine: what the broker keeps about it goes, and its session ends. */
  remove(device: string): boolean {
    if (!this.enrolled.remove(device)) return false
    this.channel.forget(device)
    this.#wake()
    return true
  }

  /** Resolves when the agent has taken the message. Rejects with `SessionReset` when it ends before. */
  send(device: string, message: Down): Promise<void> {
    return this.channel.send(device, message)
  }

  /**
   * Says what a device is to run; resolves when it does, with what it has applied. Rejects with a sentence when it cannot.
   * The agent applies it again by itself after a restart.
   */
  async apply(device: string, desired: Desired, signal?: AbortSignal): Promise<Applied> {
    this.channel.setDesired(device, desired)
    const settled = (): Applied | null => {
      const applied = this.inventory.get(device)?.applied
      if (applied?.revision !== desired.revision) return null
      const wanted = new Set(desired.deployments.map(({ id }) => id))
      const states = applied.deployments.filter(({ id }) => wanted.has(id))
      const complete = states.length === wanted.size && applied.deployments.length === wanted.size
      return complete && states.every(({ state }) => state !== 'fetching') ? applied : null
    }
    const applied = await this.until(
      settled,
      [device],
      `device '${device}' has applied its deployments`,
      signal,
    )
    const failed = applied.deployments.find(({ state }) => state === 'failed')
    if (failed) throw new Error(`Device '${device}': ${failed.error ?? 'a deployment failed.'}`)
    return applied
  }

  /** Tells which device has changed, from now on. Returns what ends that. */
  watch(onChange: (device: string) => void): () => void {
    this.#watchers.add(onChange)
    return () => this.#watchers.delete(onChange)
  }

  /** Last lines that an agent has written, 16 kB at most. */
  logs(device: string): string[] {
    return this.#supervisor.outputOf(device)
  }

  /** A sign of life of a device: a heartbeat, or anything else that it sends, however slowly it arrives. */
  sign(device: string): void {
    if (this.enrolled.has(device)) return this.enrolled.sign(device, this.channel.bootOf(device) !== '')
    if (!this.#devices.has(device)) return
    this.#liveness.beat(device)
    this.inventory.beat(device)
  }

  /** Ends the agents of the given devices for good and forgets the devices; without a list every agent, and the channel. */
  async stop(devices?: readonly string[]): Promise<void> {
    if (!devices) return this.#stopAll()
    await Promise.all(
      devices.map(async (device) => {
        this.#devices.delete(device)
        await this.#supervisor.stop(device)
        this.#up.delete(device)
        this.#failed.delete(device)
        this.#liveness.forget(device)
        this.inventory.forget(device)
        this.channel.forget(device)
      }),
    )
  }

  async #stopAll(): Promise<void> {
    this.#stopping = true
    this.#liveness.stop()
    this.#wake()
    await this.#supervisor.stopAll()
    await this.channel.close()
  }

  /** Ends the channel and leaves the agents running, for a later service. */
  async detach(): Promise<void> {
    this.#stopping = true
    this.#liveness.stop()
    this.#wake()
    this.#supervisor.detach()
    await this.channel.close()
  }

  /** For a process that is ending: no waiting. */
  killNow(): void {
    this.#supervisor.killNow()
  }

  #add(device: LocalDevice): void {
    this.#devices.set(device.device, device)
    this.inventory.enrol(device.device, device.class)
  }

  /** An agent may have called in before it was known that it is one of these. */
  #meet(device: string): void {
    const hello = this.channel.helloOf(device)
    if (hello) this.inventory.hello(device, hello)
    if (this.channel.bootOf(device) !== '') this.#session(device)
  }

  async #command(id: string): Promise<ProcessCommand> {
    const { fleet, secret, brokerUrl, ca, dir, life, command = defaultCommand } = this.#options
    const local = this.#devices.get(id)
    if (!local) throw new Error(`There is no device '${id}'.`)
    const [program = process.execPath, ...first] = command
    const folder = path.join(dir, id)
    const { battery, position } = local
    const config = {
      broker: await brokerUrl(id),
      ...(ca !== undefined && { ca }),
      fleet,
      device: id,
      class: local.class,
      token: devicePassword(secret, id),
      dir: folder,
      ...(life === 'bound' ? { bound: true } : { lease: life.leaseSeconds }),
      ...(battery
        ? { 'battery-wh': battery.capacityWh, 'idle-watts': battery.idleW, 'core-watts': battery.coreW }
        : {}),
      ...(position ? { position: `${position.x},${position.y}` } : {}),
    }
    // in a file that nobody else can read: the arguments of a process are seen by everybody
    const file = path.join(folder, 'config.json')
    await mkdir(folder, { recursive: true })
    await writeFile(file, JSON.stringify(config), { mode: 0o600 })
    return { program, args: [...first, '--config', file], dir: folder }
  }

  #lastLines(device: string): string {
    return this.#supervisor.outputOf(device).slice(-5).join('\n')
  }

  #session(device: string, previous = ''): void {
    if (this.#stopping) return
    // It ended before anyone missed it, and with it what it was told.
    if (previous !== '' && this.isUp(device))
      this.#options.onLost?.(device, `Agent ${device} was started again.`, true)
    if (this.enrolled.has(device)) return this.enrolled.session(device)
    if (!this.#devices.has(device)) return
    this.#up.add(device)
    this.#failed.delete(device)
    this.#liveness.beat(device)
    this.inventory.beat(device)
    this.#options.onUp?.(device)
    this.#changed(device)
  }

  #silent(device: string, silentMs: number): void {
    if (this.enrolled.has(device)) return this.enrolled.silent(device, silentMs)
    this.inventory.silent(device)
    const silent = `silent for ${(silentMs / 1000).toFixed(1)} s`
    this.#options.log?.('warn', `Agent ${device} was ${silent} and is ended.`)
    // The supervisor reports the end of a process. One that has given up may have been heard by an old message.
    if (!this.#supervisor.kill(device)) this.#exited(device, silent, this.#supervisor.restarts(device))
  }

  #exited(device: string, how: string, again: boolean): void {
    this.#up.delete(device)
    this.#liveness.forget(device)
    this.inventory.presence(device, false)
    const output = this.#lastLines(device)
    const message = `Agent ${device} was lost (${how}).`
    if (!again) this.#failed.set(device, [message, output].filter((text) => text !== '').join(' '))
    if (!this.#stopping) this.#options.onLost?.(device, message, again)
    this.#changed(device)
  }

  #whenUp(devices: readonly string[]): Promise<unknown> {
    const all = (): true | null => (devices.every((device) => this.#up.has(device)) ? true : null)
    return this.until(all, devices, 'the agents are there')
  }

  /** Resolves with what `settled` gives, once it is not null. Rejects when a device fails for good, or after three minutes. */
  async until<T>(
    settled: () => T | null,
    devices: readonly string[],
    what: string,
    signal?: AbortSignal,
  ): Promise<T> {
    const deadline = performance.now() + START_LIMIT_MS
    for (;;) {
      const result = settled()
      if (result !== null) return result
      signal?.throwIfAborted()
      if (this.#stopping) throw new Error('The agents are being stopped.')
      for (const device of devices) {
        if (!this.#devices.has(device) && !this.enrolled.has(device))
          throw new Error(`The agent of device '${device}' was stopped.`)
        const failed = this.#failed.get(device)
        if (failed !== undefined) throw new Error(failed)
      }
      if (performance.now() > deadline) {
        const output = devices
          .map((device) => this.#lastLines(device))
          .join('\n')
          .trim()
        throw new Error(`Waited ${START_LIMIT_MS / 1000} s in vain until ${what}. ${output}`.trim())
      }
      await this.#change()
    }
  }

  /** Resolves at the next change of a device, or after half a second. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiters.delete(done)
        resolve()
      }
      const timer = setTimeout(done, 500)
      this.#waiters.add(done)
    })
  }

  #changed(device: string): void {
    this.#wake()
    for (const watcher of this.#watchers) watcher(device)
    this.#options.onChange?.(device)
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) waiter()
  }
}
