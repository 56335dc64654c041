/** Planted faults: an exchange whose frames between edge nodes and backend are changed on the way. */
import type net from 'node:net'
import { type Address, portAndHost } from '../src/link.ts'
import { EDGES } from './faults.ts'
import { type FrameChanges, startFrameProxy } from './frame-proxy.ts'
import { type Exchange, startExchange } from './nodes.ts'

/** Runs with three edge nodes whose frames to and from the backend (the node) are changed. */
export async function withChangedFrames(
  changes: FrameChanges,
  run: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const proxies: net.Server[] = []
  const between = async (backend: Address) => {
    const proxy = await startFrameProxy(portAndHost(backend).port, changes)
    proxies.push(proxy)
    return `127.0.0.1:${(proxy.address() as net.AddressInfo).port}`
  }
  const exchange = await startExchange(EDGES, {}, { between })
  try {
    await run(exchange)
  } finally {
    await exchange.stop()
    for (const proxy of proxies) proxy.close()
  }
}
