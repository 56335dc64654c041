/** The devices of the world, the sessions to them, and the network in between. */
import { type Down, type Frame, Session, type Up } from '@hivemind/agent-protocol'
import type { Plan } from '@hivemind/synthesis'
import { DeviceRuntime } from '../../src/device/runtime.ts'
import type { FleetEvent } from '../../src/service/ports.ts'
import type { Rng } from '../random-plan.ts'
import type { Clock } from './clock.ts'
import type { Work } from './work.ts'

type FleetHandler = (event: FleetEvent) => Promise<void> | undefined

export interface NetworkFaults {
  /** Chances, per frame, that it is lost or comes twice; and how late it may come, in ms. */
  loss: number
  repeat: number
  lateMs: number
  /** Chances, per turn of a fault clock of 50 ms, that an agent is killed, comes back, or its connection breaks. */
  kill: number
  returns: number
  cut: number
  /** Chance that a broken connection is long enough for the service to take the agent for lost. */
  suspect: number
}

interface Agent {
  runtime: DeviceRuntime
  session: Session<Up, Down>
  boot: number
  kill(): void
}

interface Device {
  name: string
  agent: Agent | null
  boots: number
  connected: boolean
  session: Session<Down, Up>
  /** It was told as lost; for good, or until it comes back. */
  lost: 'no' | 'returns' | 'forGood'
}

const RESEND_MS = 200
/** Messages that the service takes of a device before it has acknowledged them, and those that wait before sensors wait. */
const TAKEN = 6
const MAX_WAITING = 4
/** Invocations that are ready on a device, before sensors wait. */
const MAX_READY = 1
/** How late an acknowledgement is that is not urgent. */
const ACKNOWLEDGE_MS = 20
/** Virtual ms after which an agent that is silent is told as lost. */
const SILENCE_MS = 500

export class Fleet {
  readonly #clock: Clock
  readonly #random: Rng
  readonly #plan: Plan
  readonly #work: Work
  readonly #faults: NetworkFaults
  readonly #slots: number
  readonly #tamper: (frame: Frame<Down>) => Frame<Down>
  readonly #devices: Map<string, Device>
  readonly #handlers = new Set<FleetHandler>()
  /** Some agent was taken for lost while it lived. */
  suspected = false
  #over = false

  constructor(
    names: readonly string[],
    plan: Plan,
    clock: Clock,
    random: Rng,
    work: Work,
    faults: NetworkFaults,
    { slots, tamper = (frame) => frame }: { slots: number; tamper?: (frame: Frame<Down>) => Frame<Down> },
  ) {
    this.#clock = clock
    this.#random = random
    this.#plan = plan
    this.#work = work
    this.#faults = faults
    this.#slots = slots
    this.#tamper = tamper
    this.#devices = new Map(
      names.map((name) => [
        name,
        { name, agent: null, boots: 0, connected: false, session: this.#serviceSession(name, 1), lost: 'no' },
      ]),
    )
    for (const device of this.#devices.values()) {
      this.#boot(device)
      this.#every(100, () => {
        device.session.tick(clock.now)
        this.#flushService(device)
      })
    }
    if (faults.kill > 0 || faults.cut > 0) this.#every(50, () => this.#storm())
  }

  /** Subscribes to the fleet, and tells what is not there. */
  onFleet(handler: FleetHandler): () => void {
    this.#handlers.add(handler)
    for (const { name: device, lost, agent } of this.#devices.values())
      if (lost !== 'no' || !agent)
        handler({ type: 'lost', device, returns: lost !== 'forGood', message: `Agent of ${device} is away.` })
    return () => this.#handlers.delete(handler)
  }

  async send(name: string, message: Down): Promise<void> {
    await this.#devices
      .get(name)
      ?.session.send(message)
      .catch(() => {})
  }

  /** The service has died: nobody listens to the devices. */
  killService(): void {
    this.#handlers.clear()
    for (const { session } of this.#devices.values()) session.close()
  }

  /** A new service speaks to the devices. */
  startService(boot: number): void {
    for (const device of this.#devices.values()) {
      device.session = this.#serviceSession(device.name, boot)
      if (device.connected) device.session.connected()
      this.#clock.after(0, () => this.#flushService(device))
    }
  }

  /** Kills the agent of a device; it comes back, or not. */
  kill(name: string, returns: boolean): void {
    const device = this.#devices.get(name)
    if (device?.agent) this.#kill(device, returns)
  }

  stop(): void {
    this.#over = true
    for (const { agent } of this.#devices.values()) agent?.kill()
  }

  #every(ms: number, action: () => void): void {
    const turn = (): void => {
      if (this.#over) return
      action()
      this.#clock.after(ms, turn)
    }
    this.#clock.after(ms, turn)
  }

  #lose(device: Device, lost: Device['lost'], message: string): void {
    device.lost = lost
    void this.#tell({ type: 'lost', device: device.name, returns: lost !== 'forGood', message })
  }

  #tell(event: FleetEvent): Promise<void> | undefined {
    const waits = [...this.#handlers].map((handler) => handler(event))
    return waits.some((wait) => wait !== undefined) ? Promise.all(waits).then(() => {}) : undefined
  }

  #serviceSession(name: string, boot: number): Session<Down, Up> {
    const session: Session<Down, Up> = new Session<Down, Up>({
      boot: `service#${boot}`,
      deliver: (message) =>
        this.#devices.get(name)?.session === session
          ? this.#tell({ type: 'message', device: name, message })
          : undefined,
      onOpen: (boot, previous) => {
        const device = this.#devices.get(name)
        if (!device || device.session !== session || (previous === '' && device.lost === 'no')) return
        if (device.lost === 'no') this.#lose(device, 'returns', `Agent of ${name} was started again.`)
        const { lost } = device
        device.lost = 'no'
        void this.#tell({ type: 'up', device: name, message: `Agent of ${name} is back.` })
        // An agent that is dead may be heard by an old frame.
        this.#clock.after(SILENCE_MS, () => {
          const isDead = device.agent?.session.boot !== boot
          if (isDead && device.session === session && session.peer === boot && device.lost === 'no')
            this.#lose(device, lost, `Nothing is heard of the agent of ${name}.`)
        })
      },
      wake: (urgent) =>
        this.#clock.after(urgent ? 0 : ACKNOWLEDGE_MS, () => {
          const device = this.#devices.get(name)
          if (device?.session === session) this.#flushService(device)
        }),
      takes: () => TAKEN,
      resendMs: RESEND_MS,
    })
    return session
  }

  #boot(device: Device): void {
    const { name } = device
    const clock = this.#clock
    const boot = ++device.boots
    const cuts = new Set<() => void>()
    let alive = true
    const runtime: DeviceRuntime = new DeviceRuntime(
      this.#plan,
      { device: name, slots: this.#slots, maxReady: MAX_READY },
      {
        now: () => clock.now,
        after: (ms, action) => clock.after(ms, () => alive && action()),
        send: (message) => session.send(message).catch(() => {}),
        whenRoom: () => {
          if (session.waiting <= MAX_WAITING) return undefined
          return new Promise((resolve) => {
            const look = (): void => {
              if (session.waiting <= MAX_WAITING || !alive) resolve()
              else clock.after(RESEND_MS, look)
            }
            look()
          })
        },
        execute: async (job, onItem, _log, signal) => {
          const cut = (signal as { cut: (() => void)[] }).cut
          // A call reaches its process a moment later. One that is taken back at once never does.
          let isTakenBack = false
          cut.push(() => {
            isTakenBack = true
          })
          await new Promise<void>((resolve) => clock.after(0, resolve))
          if (isTakenBack || !alive) await new Promise(() => {})
          const { items, state } = await this.#work.perform(
            job,
            {
              device: job.lane,
              where: name,
              onCall: (stop) => {
                cut.push(stop)
                cuts.add(stop)
              },
            },
            onItem,
          )
          return { items, executionMs: 1, waitedMs: 0, callMs: 0, bytesIn: 0, ...(state && { state }) }
        },
        share: async (value) => ({ kind: 'inline', ...value }),
        pass: (task, item) => {
          for (const { from, to, transport } of this.#plan.links)
            if (from === task && transport === 'wire')
              clock.after(this.#random() * 2, () => alive && runtime.arrived(to, item))
        },
        abortable: () => {
          const signal = { cut: [] as (() => void)[] }
          return {
            signal,
            abort: () => {
              for (const stop of signal.cut) stop()
            },
          }
        },
      },
    )
    const session: Session<Up, Down> = new Session<Up, Down>({
      boot: `${name}#${boot}`,
      deliver: (message) => {
        if (alive) runtime.handle(message)
      },
      // A new service begins every lane anew; what the old one was told may be lost.
      onOpen: (_, previous) => {
        if (previous !== '') runtime.stop()
      },
      wake: (urgent) => clock.after(urgent ? 0 : ACKNOWLEDGE_MS, () => alive && this.#flush(device)),
      resendMs: RESEND_MS,
    })
    device.agent = {
      ...{ runtime, session, boot },
      kill: () => {
        alive = false
        for (const stop of cuts) stop()
        runtime.stop()
        session.close()
        device.agent = null
      },
    }
    this.#every(100, () => {
      if (!alive) return
      session.tick(clock.now)
      this.#flush(device)
    })
    this.#connect(device)
  }

  #connect(device: Device): void {
    device.connected = true
    device.session.connected()
    device.agent?.session.connected()
    this.#clock.after(0, () => this.#flush(device))
    this.#clock.after(0, () => this.#flushService(device))
    if (device.lost === 'no' || device.agent?.session.peer === '') return
    // It lived all the time.
    device.lost = 'no'
    void this.#tell({ type: 'up', device: device.name, message: `Agent of ${device.name} is there again.` })
  }

  #cut(device: Device): void {
    device.connected = false
    device.session.disconnected()
    device.agent?.session.disconnected()
  }

  #carry({ connected }: Device, deliver: () => void): void {
    if (!connected) return
    const { loss, repeat, lateMs } = this.#faults
    const times = this.#random() < loss ? 0 : this.#random() < repeat ? 2 : 1
    for (let time = 0; time < times; time++) this.#clock.after(1 + this.#random() * lateMs, deliver)
  }

  #flush(device: Device): void {
    if (!device.connected) return
    for (const frame of device.agent?.session.frames() ?? [])
      this.#carry(device, () => device.session.receive(frame))
  }

  #flushService(device: Device): void {
    if (!device.connected) return
    for (const frame of device.session.frames()) {
      const sent = this.#tamper(frame)
      this.#carry(device, () => device.agent?.session.receive(sent))
    }
  }

  #storm(): void {
    const { kill, returns, cut } = this.#faults
    for (const device of this.#devices.values()) {
      if (!device.agent || !device.connected || device.lost === 'forGood') continue
      if (this.#random() < kill) this.#kill(device, this.#random() < returns)
      else if (this.#random() < cut) this.#break(device)
    }
  }

  #kill(device: Device, returns: boolean): void {
    const message = `Agent of ${device.name} was killed.`
    device.agent?.kill()
    this.#cut(device)
    this.#clock.after(10 + this.#random() * 50, () => {
      this.#lose(device, returns ? 'returns' : 'forGood', message)
      if (returns) this.#clock.after(20 + this.#random() * 100, () => this.#boot(device))
    })
  }

  #break(device: Device): void {
    this.#cut(device)
    const suspects = this.#random() < this.#faults.suspect
    const ms = this.#random() * 300
    if (suspects)
      this.#clock.after(ms, () => {
        this.suspected = true
        this.#lose(device, 'returns', `Nothing is heard of the agent of ${device.name}.`)
      })
    this.#clock.after(suspects ? ms + this.#random() * 200 : ms, () => device.agent && this.#connect(device))
  }
}
