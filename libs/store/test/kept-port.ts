import { createServer } from 'node:net'

/** Ports that the system gives nobody who asks for any, or who connects. */
const PORTS = { first: 20_000, count: 10_000 }
const given = new Set<number>()

/** A free port of this machine for a process that is killed, and started again at it: nobody is given it meanwhile. */
export async function keptPort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count)
    if (given.has(port)) continue
    given.add(port)
    const server = createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!free) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
