/** Redis servers that the store bench starts. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A server of this process. */
export interface Server {
  port: number
  kill(): void
}

/** Starts a server with a folder of its own in this one. */
export async function startServer(folder: string, args: string[] = []): Promise<Server> {
  const port = await freePort()
  const dir = path.join(folder, String(port))
  mkdirSync(dir)
  const common = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir]
  const server = spawn('redis-server', [...common, ...args], { stdio: 'ignore' })
  await Promise.race([once(server, 'spawn'), once(server, 'error').then(([error]) => Promise.reject(error))])
  await until(port, ['ping'], /PONG/)
  return { port, kill: () => void server.kill() }
}

/** Starts a cluster of three primaries with a replica each. */
export async function startCluster(folder: string): Promise<Server[]> {
  const servers = []
  for (let n = 0; n < 6; n++)
    servers.push(
      await startServer(folder, ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())]),
    )
  const nodes = servers.map(({ port }) => `127.0.0.1:${port}`)
  await run('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-replicas', '1', '--cluster-yes'])
  for (const { port } of servers) {
    await until(port, ['cluster', 'info'], /cluster_state:ok/)
    await until(port, ['info', 'replication'], /role:master|master_link_status:up/)
  }
  return servers
}

async function freePort(): Promise<number> {
  const holder = net.createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as net.AddressInfo
  await once(holder.close(), 'close')
  return port
}

/** Asks a server until it answers so. */
async function until(port: number, question: string[], answer: RegExp): Promise<void> {
  for (let n = 0; n < 600; n++) {
    const { stdout } = await run('redis-cli', ['-p', String(port), ...question]).catch(() => ({ stdout: '' }))
    if (answer.test(stdout)) return
    await sleep(100)
  }
  throw new Error(`The Redis server at port ${port} did not start within a minute.`)
}
