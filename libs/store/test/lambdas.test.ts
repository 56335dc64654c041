import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { InvalidOptionError, openEmbeddedStore, openRedisStore } from '../src/index.ts'
import type { Engine } from './conformance.ts'
import { describeLambdas } from './lambda-conformance.ts'
import { type RedisServers, startCluster, startRedis } from './redis-servers.ts'

async function embedded(): Promise<Engine> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-lambdas-'))
  const open = () => openEmbeddedStore({ folder })
  return { store: await open(), another: open, stop: () => rm(folder, { recursive: true, force: true }) }
}

async function redis(servers: RedisServers, replicas: number): Promise<Engine> {
  const open = () => openRedisStore({ url: servers.url, replicas })
  return { store: await open(), another: open, stop: servers.stop }
}

describeLambdas('embedded', embedded)
describeLambdas('one Redis', async () => redis(await startRedis(), 0))
describeLambdas('a Redis cluster of 3 + 3, each write on a replica', async () =>
  redis(await startCluster(), 1),
)

it('lambdas of an embedded store have no groups', async () => {
  const { store, stop } = await embedded()
  await store.createPool('/p')
  await expect(store.bind('/p', () => {}, { group: 'detectors' })).rejects.toThrow(InvalidOptionError)
  await store.close()
  await stop()
})
