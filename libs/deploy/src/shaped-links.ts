/** The links between the agents of a target and its service, over shaping proxies. */
import type { LinkShape } from './link.ts'
import { Air, type ShapingProxy, startProxy } from './shaping.ts'

/** The lines of one device: up to the service and down to it; the same air where it is shared. */
interface Lines {
  up: Air
  down: Air
}

export class ShapedLinks {
  readonly #link: LinkShape
  readonly #onSign: (device: string) => void
  readonly #shared: Air
  readonly #lines = new Map<string, Lines>()
  readonly #proxies = new Map<string, Promise<ShapingProxy>>()
  #closed = false

  /** `onSign`: a device has sent something, however slowly it arrives: it is alive. */
  constructor(link: LinkShape, onSign: (device: string) => void) {
    this.#link = link
    this.#onSign = onSign
    this.#shared = new Air(link.mbps)
  }

  /** The URL under which a device reaches `target` over its link. One proxy for each name. */
  async url(name: string, device: string, target: string): Promise<string> {
    if (this.#closed) throw new Error('The deployment is ending.')
    const { protocol, hostname, port, pathname } = new URL(target)
    const { up, down } = this.#linesOf(device)
    const { delayMs, loss } = this.#link
    const proxy =
      this.#proxies.get(name) ??
      startProxy({
        target: { host: hostname, port: Number(port) },
        forth: up,
        back: down,
        delayMs,
        loss,
        onForth: () => this.#onSign(device),
        onForthArrival: () => this.#onSign(device),
      })
    this.#proxies.set(name, proxy)
    const { host, port: own } = await proxy
    return `${protocol}//${host}:${own}${pathname === '/' ? '' : pathname}`
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled([...this.#proxies.values()].map(async (proxy) => (await proxy).close()))
  }

  #linesOf(device: string): Lines {
    const { mbps, shared } = this.#link
    const known = this.#lines.get(device)
    const lines =
      known ??
      (shared ? { up: this.#shared, down: this.#shared } : { up: new Air(mbps), down: new Air(mbps) })
    this.#lines.set(device, lines)
    return lines
  }
}
