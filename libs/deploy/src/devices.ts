/** The devices of one deployment: agents of this machine, and those of other machines that dial in. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Desired, DesiredDeployment, Up } from '@hivemind/agent-protocol'
import type { FleetEvent } from '@hivemind/orchestrator'
import { type CoreAssignment } from '@hivemind/task-runner'
import { desiredDeployment, nextRevision } from './agents/desired.ts'
import { freeCapacityOf } from './agents/inventory.ts'
import type { LocalDevice } from './agents/local-agents.ts'
import type { ProcessRecord } from './agents/supervisor.ts'
import { agentsOf } from './changes.ts'
import type { FleetHub } from './hub.ts'
import { coresOfDevice } from './local/cores.ts'
import type { FleetHandler } from './running.ts'
import type { DeploymentSpec, DeviceSpec, ResourceStatus } from './types.ts'

/** What the devices of a group tell, by id. */
export interface DeviceEvents {
  readonly group: string
  /** Whether the device is one of it. */
  has(device: string): boolean
  /** Acknowledged when the promise resolves, at once when there is none. */
  message(device: string, message: Up): Promise<void> | undefined
  lost(device: string, message: string, returns: boolean): void
  up(device: string): void
  changed(device: string): void
}

export interface DevicesParts {
  hub: FleetHub
  spec: DeploymentSpec
  /** Ids of agents of this machine begin with it, and a dot. Deployments that follow each other share it. */
  group: string
  /** The cores that were assigned to its isolated tasks. */
  cores: () => CoreAssignment | undefined
  onChange: () => void
}

const RETURN_POLL_MS = 50

const elsewhere = ({ enrolled }: DeviceSpec): boolean => enrolled === true
const here = ({ enrolled }: DeviceSpec): boolean => enrolled !== true

export class DeploymentDevices implements DeviceEvents {
  readonly group: string
  readonly #hub: FleetHub
  readonly #spec: DeploymentSpec
  readonly #parts: DevicesParts
  readonly #runs = new Set<FleetHandler>()
  /** How much work each device can take over, by name, as runs were last told. */
  readonly #capacities = new Map<string, number>()
  /** Devices that are away, and whether they are being started again. */
  readonly #away = new Map<string, { returns: boolean; message: string }>()
  #desired: DesiredDeployment | undefined

  constructor(parts: DevicesParts) {
    this.#parts = parts
    this.#hub = parts.hub
    this.#spec = parts.spec
    this.group = parts.group
  }

  /** Id of a device at the hub. */
  idOf(name: string): string {
    return this.#spec.devices.some((device) => device.name === name && elsewhere(device))
      ? name
      : `${this.group}.${name}`
  }

  #nameOf(device: string): string {
    return device.startsWith(`${this.group}.`) ? device.slice(this.group.length + 1) : device
  }

  has(device: string): boolean {
    const name = this.#nameOf(device)
    return this.#spec.devices.some((each) => each.name === name) && this.idOf(name) === device
  }

  /** Starts the agents of this machine that `before` does not have. Rejects, with its last lines, when one is not there in time. */
  async start(before: DeploymentDevices | undefined): Promise<void> {
    const fresh = this.#beside(before).filter(here)
    if (fresh.length > 0) await this.#hub.agents.start(fresh.map((device) => this.#localDevice(device)))
  }

  /** Gives every device the tasks of this deployment, beside those of the one before until it has taken over. */
  async equip(before: DeploymentDevices | undefined, signal: AbortSignal): Promise<void> {
    if (agentsOf(this.#spec).length === 0) return
    await this.#make()
    const owners = before ? [before, this] : [this]
    await Promise.all(this.#spec.devices.map(({ name }) => this.#apply(name, owners, signal)))
  }

  /** What only the deployment before needed goes; the devices of both have the tasks of this one alone. */
  async succeed(before: DeploymentDevices): Promise<void> {
    await before.#leave(before.#beside(this))
    await this.keepOnly()
  }

  /** The devices go back to the tasks of this deployment alone. */
  async keepOnly(): Promise<void> {
    await Promise.allSettled(agentsOf(this.#spec).map(({ name }) => this.#apply(name, [this])))
  }

  /** Ends, and lets go, what `before` does not have. */
  abandon(before: DeploymentDevices): Promise<void> {
    return this.#leave(this.#beside(before))
  }

  /** Ends the agents of this machine; those of other machines have nothing to run any more. */
  stop(): Promise<void> {
    return this.#leave(this.#spec.devices)
  }

  /** Takes up the agents that an earlier service left; those of other machines call in by themselves. */
  async attach(records: readonly ProcessRecord[], signal: AbortSignal): Promise<void> {
    if (agentsOf(this.#spec).length === 0) return
    const local = this.#spec.devices.filter(here)
    if (local.length > 0)
      await this.#hub.agents.attach(
        local.map((device) => this.#localDevice(device)),
        records,
      )
    await this.#make()
    await Promise.all(local.map(({ name }) => this.#apply(name, [this], signal)))
    for (const { name } of this.#spec.devices.filter(elsewhere)) {
      this.#hub.agents.tell(name, await this.#desiredOf(name, [this]))
      if (!this.#hub.agents.isUp(name))
        this.#away.set(name, {
          returns: false,
          message: `Device ${name} has not called in since the service started.`,
        })
    }
  }

  /** Resolves when no device is away any more, or after so many ms. */
  async returned(ms: number): Promise<void> {
    const until = performance.now() + ms
    while (this.#away.size > 0 && performance.now() < until) await sleep(RETURN_POLL_MS)
  }

  records(): ProcessRecord[] {
    return this.#hub.agents.records().filter(({ device }) => this.has(device))
  }

  /** State of each device that has tasks. */
  statuses(stopped: boolean): ResourceStatus[] {
    return agentsOf(this.#spec).map(({ name }): ResourceStatus => {
      const id = this.idOf(name)
      const away = this.#away.get(name)
      const pid = this.#hub.agents.pidOf(id)
      const there = this.#hub.agents.isUp(id) ? 'ready' : 'starting'
      const state = away ? (away.returns ? 'starting' : 'failed') : there
      return {
        kind: 'agent',
        name,
        state: stopped ? 'stopped' : state,
        ...(!stopped && pid !== undefined && { pid }),
        ...(away && { message: away.message }),
      }
    })
  }

  /** Ends what the devices still do for a run. */
  forgetRun(run: string): void {
    for (const { name } of this.#spec.devices)
      this.#hub.agents.send(this.idOf(name), { t: 'stop', run }).catch(() => {})
  }

  /** Last lines that an agent has written. */
  logs(name: string): string[] {
    return this.#spec.devices.some((device) => device.name === name && elsewhere(device))
      ? [`The agent of ${name} writes its log on its own machine.`]
      : this.#hub.agents.logs(this.idOf(name))
  }

  /** Tells what happens to devices from now on, and at once which are away and what each can take over. */
  onFleet(handler: FleetHandler): () => void {
    this.#runs.add(handler)
    for (const { name } of this.#spec.devices)
      handler({ type: 'capacity', device: name, capacity: this.#capacityOf(name) })
    for (const [device, { returns, message }] of this.#away)
      handler({ type: 'lost', device, returns, message })
    return () => this.#runs.delete(handler)
  }

  message(device: string, message: Up): Promise<void> | undefined {
    return this.#tell({ type: 'message', device: this.#nameOf(device), message })
  }

  lost(device: string, message: string, returns: boolean): void {
    const name = this.#nameOf(device)
    const text = message.replaceAll(device, name)
    this.#away.set(name, { returns, message: text })
    this.#tell({ type: 'lost', device: name, returns, message: text })
    this.#parts.onChange()
  }

  up(device: string): void {
    const name = this.#nameOf(device)
    if (!this.#away.delete(name)) return
    const how = device === name ? 'is there again' : 'was started again'
    this.#tell({ type: 'up', device: name, message: `Agent ${name} ${how}.` })
    this.#parts.onChange()
  }

  changed(device: string): void {
    const name = this.#nameOf(device)
    const known = this.#capacities.get(name)
    const capacity = this.#capacityOf(name)
    if (capacity !== known) this.#tell({ type: 'capacity', device: name, capacity })
    this.#parts.onChange()
  }

  /** How much work a device can take over now. */
  #capacityOf(name: string): number {
    const capacity = freeCapacityOf(this.#hub.agents.inventory.get(this.idOf(name)) ?? {})
    this.#capacities.set(name, capacity)
    return capacity
  }

  #tell(event: FleetEvent): Promise<void> | undefined {
    const waits = [...this.#runs].flatMap((handler) => handler(event) ?? [])
    return waits.length > 0 ? Promise.all(waits).then(() => {}) : undefined
  }

  #localDevice({ name, class: of, battery }: DeviceSpec): LocalDevice {
    return { device: this.idOf(name), class: of, ...(battery && { battery }) }
  }

  async #make(): Promise<void> {
    const { name, synthesis, projectDir } = this.#spec
    this.#desired = await desiredDeployment(name, synthesis, projectDir, this.#hub.blobs)
  }

  /** What a device is to run of this deployment. */
  #desiredOn(device: string): DesiredDeployment[] {
    if (!this.#desired) return []
    const cores = this.#parts.cores()
    // Cores of this machine mean nothing on another.
    const own = cores && this.idOf(device) !== device
    return [{ ...this.#desired, ...(own && coresOfDevice(cores, this.#spec.synthesis.plan, device)) }]
  }

  async #desiredOf(name: string, owners: readonly DeploymentDevices[]): Promise<Desired> {
    const deployments = owners.flatMap((owner) => owner.#desiredOn(name))
    return { revision: nextRevision(), deployments, dataUrl: await this.#hub.dataUrlFor(this.idOf(name)) }
  }

  async #apply(name: string, owners: DeploymentDevices[], signal?: AbortSignal): Promise<void> {
    await this.#hub.agents.apply(this.idOf(name), await this.#desiredOf(name, owners), signal)
  }

  /** Devices with tasks that the other deployment does not have. */
  #beside(other: DeploymentDevices | undefined): DeviceSpec[] {
    const known = new Set((other ? agentsOf(other.#spec) : []).map(({ name }) => name))
    return agentsOf(this.#spec).filter(({ name }) => !known.has(name))
  }

  async #leave(devices: readonly DeviceSpec[]): Promise<void> {
    const local = devices.filter(here).map(({ name }) => this.idOf(name))
    if (local.length > 0) await this.#hub.agents.stop(local)
    for (const { name } of devices.filter(elsewhere))
      if (this.#hub.agents.enrolled.has(name)) this.#hub.agents.tell(name, await this.#desiredOf(name, []))
  }
}
