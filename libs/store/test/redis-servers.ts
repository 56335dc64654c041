/** Redis servers of the tests: each on free ports, in a folder of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { keptPort } from './kept-port.ts'

const run = promisify(execFile)

/** Running servers. */
export interface RedisServers {
  /** URL of one of them. */
  url: string
  ports: number[]
  /** Kills the server at a port. */
  kill(port: number): void
  /** Port of the primary that has a key. */
  primaryOf(key: string): Promise<number>
  /** Stops the replica of a primary once it has all, and cuts it off from what the primary writes then. Returns what lets it go on. */
  detachReplica(port: number): Promise<() => void>
  /** Starts a killed server of a cluster again, as soon as a replica has taken its place. */
  rejoin(port: number): Promise<void>
  stop(): Promise<void>
}

/** Starts one server. */
export const startRedis = (): Promise<RedisServers> => start(1, [])

/** Starts a cluster of three primaries with a replica each. */
export async function startCluster(): Promise<RedisServers> {
  const servers = await start(6, ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'])
  const nodes = servers.ports.map((port) => `127.0.0.1:${port}`)
  await cli(servers.ports[0], ['--cluster', 'create', ...nodes, '--cluster-replicas', '1', '--cluster-yes'])
  // Each server has to know all slots, and each replica has to follow its primary.
  for (const port of servers.ports) {
    await until(async () => (await cli(port, ['cluster', 'info'])).includes('cluster_state:ok'))
    await until(async () =>
      /role:master|master_link_status:up/.test(await cli(port, ['info', 'replication'])),
    )
  }
  return servers
}

async function start(count: number, args: string[]): Promise<RedisServers> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'hivemind-redis-'))
  const free = await Promise.all(Array.from({ length: count * 2 }, keptPort))
  const ports = free.slice(0, count)
  const processes = new Map<number, ChildProcess>()
  const launch = new Map<number, () => void>()
  for (const [index, port] of ports.entries()) {
    const dir = path.join(root, String(port))
    await mkdir(dir)
    const bus = args.length > 0 ? ['--cluster-port', String(free[count + index])] : []
    const common = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      dir,
      '--save',
      '',
      ...bus,
      ...args,
    ]
    launch.set(port, () => processes.set(port, spawn('redis-server', common, { stdio: 'ignore' })))
    launch.get(port)?.()
  }
  for (const port of ports) await until(async () => (await cli(port, ['ping'])).includes('PONG'))
  return {
    url: `redis://127.0.0.1:${ports[0]}`,
    ports,
    kill: (port) => void processes.get(port)?.kill('SIGKILL'),
    async primaryOf(key) {
      const [port = 0] = ports
      const [, moved] = /MOVED \d+ .*:(\d+)/.exec(await cli(port, ['exists', key])) ?? []
      return moved === undefined ? port : Number(moved)
    },
    async detachReplica(port) {
      // What the primary has now, the replica must have; writers may go on and keep it ahead.
      const offset = async (pattern: RegExp) => pattern.exec(await cli(port, ['info', 'replication']))
      const wanted = Number((await offset(/master_repl_offset:(\d+)/))?.[1])
      let replica: string | undefined
      await until(async () => {
        const [, name, has] = (await offset(/slave0:ip=[^,]*,port=(\d+),state=online,offset=(\d+)/)) ?? []
        replica = name
        return Number(has) >= wanted
      })
      const child = processes.get(Number(replica))
      if (!child) throw new Error(`The server at port ${port} has no replica.`)
      child.kill('SIGSTOP')
      await cli(port, ['client', 'kill', 'type', 'replica'])
      return () => void child.kill('SIGCONT')
    },
    async rejoin(port) {
      const witness = ports.find((other) => other !== port)
      await until(async () => {
        const nodes = (await cli(witness, ['cluster', 'nodes'])).split('\n')
        const failed = nodes.some((node) => node.includes(`:${port}@`) && /\bfail\b/.test(node))
        return failed && nodes.filter((node) => /master - .* \d+-\d+/.test(node)).length === 3
      })
      launch.get(port)?.()
    },
    async stop() {
      for (const child of processes.values()) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      await rm(root, { recursive: true, force: true })
    },
  }
}

const cli = async (port: number | undefined, args: string[]): Promise<string> =>
  (await run('redis-cli', ['-p', String(port), ...args])).stdout

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 600; n++) {
    if (await condition().catch(() => false)) return
    await sleep(100)
  }
  throw new Error('The Redis servers of the test did not start within a minute.')
}
