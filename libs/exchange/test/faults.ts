/** Clients over three edge nodes under faults: nodes killed and paused, connections cut and delayed, clients that move. */
import { setTimeout as sleep } from 'node:timers/promises'
import { TcpProxy } from '../../store/test/tcp-proxy.ts'
import { type Address, ExchangeClient } from '../src/index.ts'
import { portAndHost } from '../src/link.ts'
import { type Exchange, startExchange } from './nodes.ts'

export const EDGES = 3
export const CLIENTS = 6
/** Longer than the lease of copies. */
const PAUSE_MS = 3_500
const tries = { count: 5, intervalMs: 1_000 }

/** Clients at different edge nodes, which go on at the next one when theirs is killed. */
export const connectAll = ({ addresses }: Exchange): Promise<ExchangeClient[]> =>
  Promise.all(
    Array.from({ length: CLIENTS }, (_, n) => {
      const edges = addresses.map((_, at) => addresses[(n + at) % addresses.length] as string)
      return ExchangeClient.connect({ name: `client-${n}`, edges, tries })
    }),
  )

/** Faults that happen until `calm`. */
export interface Faults {
  exchange: Exchange
  clients: ExchangeClient[]
  /** Kills of edge nodes until now. */
  readonly kills: number
  /** Ends the faults: all nodes are up, nothing is delayed. */
  calm(): Promise<void>
  stop(): Promise<void>
}

/** How often a fault happens on average, and for how long the backend is away at most when it is killed. */
export interface FaultOptions {
  intervalMs: number
  awayMs?: number
}

/** Starts an exchange with clients, and lets faults happen. */
export async function startWithFaults({ intervalMs, awayMs = 0 }: FaultOptions): Promise<Faults> {
  const proxies: TcpProxy[] = []
  const between = async (backend: Address) => {
    const proxy = await TcpProxy.open(portAndHost(backend).port)
    proxies.push(proxy)
    return `127.0.0.1:${proxy.port}`
  }
  const exchange = await startExchange(EDGES, {}, { between })
  const clients = await connectAll(exchange)
  let running = true
  let kills = 0
  const failing = (async () => {
    for (let n = 0; running; n++) {
      await sleep(intervalMs * (0.5 + Math.random()))
      const edge = exchange.edges[n % EDGES]
      const proxy = proxies[(n + 1) % EDGES] as TcpProxy
      proxy.delayMs = [0, 1, 10][n % 3] as number
      proxy.cut()
      if (n % 20 === 1) {
        edge?.pause()
        await sleep(PAUSE_MS)
        edge?.resume()
      } else if (n % 20 === 3) {
        await exchange.backend.kill()
        await sleep(Math.random() * awayMs)
        await exchange.backend.start()
      } else {
        await edge?.kill()
        await sleep(Math.random() * 100)
        await edge?.start()
        kills++
      }
      const client = clients[n % CLIENTS]
      await client?.migrate(exchange.addresses[n % EDGES] as string).catch(() => {})
    }
    for (const proxy of proxies) proxy.delayMs = 0
  })()
  const calm = async () => {
    running = false
    await failing
  }
  return {
    exchange,
    clients,
    get kills() {
      return kills
    },
    calm,
    async stop() {
      await calm()
      for (const client of clients) client.close()
      for (const proxy of proxies) await proxy.close()
      await exchange.stop()
    },
  }
}
