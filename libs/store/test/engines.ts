/** The engines that the suites run against. */
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { openEmbeddedStore, openRedisStore } from '../src/index.ts'
import type { Engine } from './conformance.ts'
import { type RedisServers, startCluster, startRedis } from './redis-servers.ts'

/** An embedded store in a folder of its own. */
export async function embedded(): Promise<Engine> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-store-'))
  const open = () => openEmbeddedStore({ folder })
  return { store: await open(), another: open, stop: () => rm(folder, { recursive: true, force: true }) }
}

async function redis(servers: RedisServers, replicas: number): Promise<Engine> {
  const open = () => openRedisStore({ url: servers.url, replicas })
  return { store: await open(), another: open, stop: servers.stop }
}

/** All engines by their names. */
export const ENGINES: readonly (readonly [name: string, start: () => Promise<Engine>])[] = [
  ['embedded', embedded],
  ['one Redis', async () => redis(await startRedis(), 0)],
  ['a Redis cluster of 3 + 3, each write on a replica', async () => redis(await startCluster(), 1)],
]
