/** Histories of shared objects over three edge nodes under faults: nodes killed and paused, connections cut and delayed. */
import type net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TcpProxy } from '../../store/test/tcp-proxy.ts'
import type { Frame } from '../src/frame.ts'
import { ExchangeClient } from '../src/index.ts'
import { portAndHost } from '../src/link.ts'
import { startFrameProxy } from './frame-proxy.ts'
import { type Exchange, startExchange } from './nodes.ts'
import { ObjectRecorder, work } from './object-recorder.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const OPERATIONS = soak ? 200_000 : 2_000
const TIMEOUT_MS = soak ? 3_600_000 : 180_000
/** On a fast machine the operations are done sooner than so many nodes are killed: clients go on until then. */
const KILLS = 3
const FAULT_INTERVAL_MS = soak ? 2_000 : 300
const EDGES = 3
const CLIENTS = 6
/** Longer than the lease of copies. */
const PAUSE_MS = 3_500
const tries = { count: 5, intervalMs: 1_000 }

/** Clients at different edge nodes, which go on at the next one when theirs is killed. */
const connectAll = ({ addresses }: Exchange): Promise<ExchangeClient[]> =>
  Promise.all(
    Array.from({ length: CLIENTS }, (_, n) => {
      const edges = addresses.map((_, at) => addresses[(n + at) % addresses.length] as string)
      return ExchangeClient.connect({ name: `client-${n}`, edges, tries })
    }),
  )

it('are linearizable while nodes are killed and paused, and connections cut', {
  timeout: TIMEOUT_MS,
}, async () => {
  const proxies: TcpProxy[] = []
  const exchange = await startExchange(EDGES, {}, async (backend) => {
    const proxy = await TcpProxy.open(portAndHost(backend).port)
    proxies.push(proxy)
    return `127.0.0.1:${proxy.port}`
  })
  const clients = await connectAll(exchange)
  const recorder = new ObjectRecorder()
  let running = true
  let kills = 0
  const faults = async () => {
    for (let n = 0; running; n++) {
      await sleep(FAULT_INTERVAL_MS * (0.5 + Math.random()))
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
  }
  const failing = faults()
  try {
    await work(recorder, clients, () => recorder.operations < OPERATIONS || kills < KILLS)
    running = false
    await failing
    if (soak)
      console.log(`${recorder.operations} operations, ${recorder.undecided} undecided, ${kills} kills`)
    expect(recorder.undecided).toBeLessThan(recorder.operations / 10)
    expect(recorder.torn).toBe(0)
    expect(recorder.isLinearizable).toBe(true)
  } finally {
    running = false
    await failing
    for (const client of clients) client.close()
    for (const proxy of proxies) await proxy.close()
    await exchange.stop()
  }
})

/** Runs with edge nodes that do not hear of some invalidations, which the backend takes for answered. */
async function withDeafEdges(
  skips: (frame: Frame) => boolean,
  run: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const proxies: net.Server[] = []
  const exchange = await startExchange(EDGES, {}, async (backend) => {
    const proxy = await startFrameProxy(
      portAndHost(backend).port,
      (frame) => frame.header.type === 'invalidate' && skips(frame),
    )
    proxies.push(proxy)
    return `127.0.0.1:${(proxy.address() as net.AddressInfo).port}`
  })
  try {
    await run(exchange)
  } finally {
    await exchange.stop()
    for (const proxy of proxies) proxy.close()
  }
}

it.each([0, 1])(
  'are judged rightly when %i invalidations are skipped',
  { timeout: TIMEOUT_MS },
  async (skipped) => {
    let remaining = skipped
    await withDeafEdges(
      () => remaining-- > 0,
      async (exchange) => {
        const [a, b, ...others] = (await connectAll(exchange)) as [ExchangeClient, ExchangeClient]
        const recorder = new ObjectRecorder()
        await recorder.write(a, 'object', '1')
        await recorder.read(b, 'object')
        await recorder.write(a, 'object', '2')
        await recorder.read(b, 'object')
        expect(recorder.isLinearizable).toBe(skipped === 0)
        for (const client of [a, b, ...others]) client.close()
      },
    )
  },
)

it('are caught not to be when one of ten invalidations is skipped under load', {
  timeout: TIMEOUT_MS,
}, async () => {
  let invalidations = 0
  await withDeafEdges(
    () => ++invalidations % 10 === 0,
    async (exchange) => {
      const clients = await connectAll(exchange)
      const recorder = new ObjectRecorder()
      await work(recorder, clients, () => recorder.operations < 2_000)
      expect(recorder.isLinearizable && recorder.torn === 0).toBe(false)
      for (const client of clients) client.close()
    },
  )
})
