import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { InvalidOptionError, openEmbeddedStore, openRedisStore } from '../src/index.ts'
import { allowedCores } from '../src/lambdas/cores.ts'
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

it.runIf(allowedCores())('threads of a lambda take the cores in turn', async () => {
  const { store, stop } = await embedded()
  await store.createPool('/p')
  const cores = (allowedCores() ?? []).slice(0, 2).toReversed()
  const module = import.meta.resolve('./code/lambdas.ts')
  const options = { cores, concurrency: cores.length + 1, config: { to: '/p/out' } }
  const binding = await store.bind('/p/in', { module, export: 'report', isolation: 'worker' }, options)
  for (let thread = 0; thread <= cores.length; thread++)
    await store.triggerPut(`/p/in/${thread}`, { type: 'text/plain', bytes: new Uint8Array() })
  await binding.drained()
  for (let thread = 0; thread <= cores.length; thread++) {
    const report = Buffer.from((await store.get(`/p/out/${thread}`))?.bytes ?? []).toString()
    expect(JSON.parse(report).cores).toEqual([cores[thread % cores.length]])
  }
  await store.close()
  await stop()
})

it('lambdas of an embedded store have no groups', async () => {
  const { store, stop } = await embedded()
  await store.createPool('/p')
  await expect(store.bind('/p', () => {}, { group: 'detectors' })).rejects.toThrow(InvalidOptionError)
  await store.close()
  await stop()
})
