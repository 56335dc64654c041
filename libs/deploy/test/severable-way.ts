/** A way to the API server of the development cluster that can be cut. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { kubectl } from './fresh-cluster.ts'

export interface SeverableWay {
  /** Leads over it. */
  kubeconfig: string
  /** Ends what goes over it, and lets nothing through until it is mended. */
  cut(): void
  mend(): Promise<void>
}

/** Opens a way; it is there until the test has ended. */
export async function severableWay(): Promise<SeverableWay> {
  const config = JSON.parse(kubectl('config', 'view', '--raw', '--minify', '--flatten', '-o', 'json')) as {
    clusters: { cluster: Record<string, unknown> }[]
  }
  const { hostname, port } = new URL(String(config.clusters[0]?.cluster.server))
  const sockets = new Set<Socket>()
  const way = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
  })
  const open = (at: number) =>
    new Promise<number>((resolve) => {
      way.listen(at, '127.0.0.1', () => resolve((way.address() as AddressInfo).port))
    })
  const cut = (): void => {
    way.close()
    for (const socket of sockets) socket.destroy()
  }
  const at = await open(0)
  onTestFinished(cut)
  for (const { cluster } of config.clusters)
    Object.assign(cluster, { server: `https://127.0.0.1:${at}`, 'tls-server-name': hostname })
  return { kubeconfig: JSON.stringify(config), cut, mend: async () => void (await open(at)) }
}
