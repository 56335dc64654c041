/** The ways between the agents of a deployment and its gateway, over shaping proxies that make a link of them. */
import { FrameTimes } from './frameTimes.ts'
import type { LinkShape } from './link.ts'
import { Air, type ShapingProxy, startProxy } from './shaping.ts'

interface Address {
  host: string
  port: number
}

/** The lines of one agent: up to the cloud and down to it; the same air where it is shared. */
interface Lines {
  up: Air
  down: Air
}

export interface WaysOptions {
  link: LinkShape
  /** An agent has sent something, however slowly it arrives: it is alive. */
  onSign: (device: string) => void
}

export class Ways {
  /** When what the agents sent left them. */
  readonly frames = new FrameTimes()
  readonly #options: WaysOptions
  readonly #shared: Air
  readonly #lines = new Map<string, Lines>()
  readonly #proxies = new Map<string, Promise<ShapingProxy>>()
  #closed = false

  constructor(options: WaysOptions) {
    this.#options = options
    this.#shared = new Air(options.link.mbps)
  }

  /** Where an agent finds the gateway. */
  toGateway(device: string, gateway: Address): Promise<Address> {
    const { up, down } = this.#linesOf(device)
    const { onSign } = this.#options
    return this.#proxy(`${device} up`, gateway, up, down, {
      onForth: (peer, bytes) => {
        onSign(device)
        this.frames.sent(peer, bytes)
      },
      onClose: (peer) => this.frames.forget(peer),
    })
  }

  /** Where the gateway's side finds an agent that listens at `agent`. */
  toAgent(device: string, agent: Address): Promise<Address> {
    const { up, down } = this.#linesOf(device)
    return this.#proxy(`${device} down`, agent, down, up, { onBack: () => this.#options.onSign(device) })
  }

  async close(): Promise<void> {
    this.#closed = true
    const proxies = [...this.#proxies.values()]
    this.#proxies.clear()
    await Promise.allSettled(proxies.map(async (proxy) => (await proxy).close()))
  }

  /** Starts a proxy in place of the one of that name. */
  async #proxy(
    name: string,
    target: Address,
    forth: Air,
    back: Air,
    hooks: Partial<Parameters<typeof startProxy>[0]>,
  ): Promise<Address> {
    if (this.#closed) throw new Error('The deployment is ending.')
    const before = this.#proxies.get(name)
    const { delayMs, loss } = this.#options.link
    const proxy = startProxy({ target, forth, back, delayMs, loss, ...hooks })
    this.#proxies.set(name, proxy)
    await (await before)?.close()
    const { host, port } = await proxy
    return { host, port }
  }

  #linesOf(device: string): Lines {
    const { link } = this.#options
    const known = this.#lines.get(device)
    const lines =
      known ??
      (link.shared
        ? { up: this.#shared, down: this.#shared }
        : { up: new Air(link.mbps), down: new Air(link.mbps) })
    this.#lines.set(device, lines)
    return lines
  }
}
