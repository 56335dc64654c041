/** `hivemind exchange`: nodes as a person starts them. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ExchangeClient } from '@hivemind/exchange'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeAuthority } from '../../../libs/exchange/test/certificates.ts'
import { exit, hivemind, killRunning, type Running, scratchProject, start } from './command.ts'

let scratch: Awaited<ReturnType<typeof scratchProject>>
beforeAll(async () => {
  scratch = await scratchProject()
})
afterAll(async () => {
  killRunning()
  await scratch.remove()
})

const addressOf = async (node: Running): Promise<string> => {
  await expect.poll(() => node.printed() + node.said(), { timeout: 60_000 }).toContain('\n')
  return (JSON.parse(node.printed()) as { address: string }).address
}

it('runs a backend and an edge node, which clients reach', { timeout: 180_000 }, async () => {
  const env = { HIVEMIND_EXCHANGE_TOKEN: 'secret' }
  const merges = path.join(scratch.folder, 'merges.mjs')
  await writeFile(
    merges,
    'export const latest = (one, other) => Buffer.from(one).compare(other) > 0 ? one : other\n',
  )
  const backend = start(
    ['exchange', 'backend', '--folder', `${scratch.folder}/backend`, '--merges', merges, '--json'],
    env,
  )
  const place = [
    '--backend',
    await addressOf(backend),
    '--folder',
    `${scratch.folder}/north`,
    '--merges',
    merges,
  ]
  const edge = start(['exchange', 'edge', 'north', ...place, '--json'], env)
  const edges = [await addressOf(edge)]
  const client = await ExchangeClient.connect({ name: 'sensor', edges, token: 'secret' })
  await client.subscribe('readings')
  await client.publish('readings', Buffer.from('21.5'))
  const [message] = await client.getMessages('readings', { waitMs: 10_000 })
  expect(Buffer.from(message?.bytes ?? []).toString()).toBe('21.5')
  const best = await client.objects.eventual('best', { merge: 'latest' })
  for (const value of ['2', '3', '1']) await best.write(Buffer.from(value))
  expect(Buffer.from((await best.read()) ?? []).toString()).toBe('3')
  client.close()

  const taken = await hivemind('exchange', 'edge', 'north', ...place)
  expect(taken.code).toBe(exit.other)
  expect(taken.stderr).toContain('is in use by another node')

  edge.kill('SIGTERM')
  expect((await edge.outcome).code).toBe(exit.other)
  backend.kill('SIGTERM')
  expect((await backend.outcome).stderr).not.toMatch(/^\s+at /m)
})

it('runs a backend that serves clients too, in one process', { timeout: 180_000 }, async () => {
  const folder = `${scratch.folder}/both`
  const backend = start(['exchange', 'backend', '--folder', folder, '--edge', 'main', '--json'])
  await addressOf(backend)
  const { address, edge } = JSON.parse(backend.printed())
  const elsewhere = start([
    ...['exchange', 'edge', 'south', '--backend', address],
    ...['--folder', `${scratch.folder}/south`, '--json'],
  ])
  const near = await ExchangeClient.connect({ name: 'near', edges: [edge] })
  const far = await ExchangeClient.connect({ name: 'far', edges: [await addressOf(elsewhere)] })
  await near.subscribe('readings')
  await far.publish('readings', Buffer.from('21.5'))
  const [message] = await near.getMessages('readings', { waitMs: 10_000 })
  expect(Buffer.from(message?.bytes ?? []).toString()).toBe('21.5')
  near.close()
  far.close()

  // The edge node cannot start: the process ends, and says why.
  const port = edge.split(':')[1]
  const taken = await hivemind(
    ...['exchange', 'backend', '--folder', `${scratch.folder}/taken`, '--edge', 'main', '--edge-port', port],
  )
  expect(taken.code).toBe(exit.other)
  expect(taken.stderr).toContain(`cannot listen at ${edge}: it is in use. Name another port`)
  backend.kill('SIGTERM')
  expect((await backend.outcome).stderr).not.toMatch(/^\s+at /m)
})

it('refuses options that make no sense', { timeout: 60_000 }, async () => {
  const { code, stderr } = await hivemind(
    'exchange',
    'backend',
    '--folder',
    scratch.folder,
    '--port',
    '70000',
  )
  expect(code).toBe(exit.usage)
  expect(stderr).toContain("--port is '70000': give a whole number from 0 to 65535.")
  const place = ['--folder', `${scratch.folder}/none`]
  const nameless = await hivemind('exchange', 'backend', ...place, '--edge', '')
  expect(nameless.code).toBe(exit.other)
  expect(nameless.stderr).toContain(
    "'' cannot be the name of an edge node: give a text of 1 to 200 characters.",
  )
  const portOnly = await hivemind('exchange', 'backend', ...place, '--edge-port', '7411')
  expect(portOnly.code).toBe(exit.usage)
  expect(portOnly.stderr).toContain('--edge-port needs --edge')
})

it('refuses merge functions that cannot be loaded', { timeout: 60_000 }, async () => {
  const missing = path.join(scratch.folder, 'missing.mjs')
  const { code, stderr } = await hivemind(
    'exchange',
    'backend',
    '--folder',
    scratch.folder,
    '--merges',
    missing,
  )
  expect(code).toBe(exit.other)
  expect(stderr).toContain(`The merge functions of ${missing} cannot be loaded`)
})

it('encrypts with the certificates that it is given', { timeout: 180_000 }, async () => {
  const authority = await makeAuthority()
  const [own, device] = [await authority.issue('IP:127.0.0.1'), await authority.issue('DNS:sensor')]
  const parts = Object.entries({ ca: authority.ca, ...own })
  const tls = await Promise.all(
    parts.map(async ([part, pem]) => [`--tls-${part}`, await scratch.write(`${part}.pem`, pem)]),
  )
  const options = [...tls.flat(), '--tls-clients', '--json']
  const backend = start(['exchange', 'backend', '--folder', `${scratch.folder}/tls-backend`, ...options])
  const place = ['--backend', await addressOf(backend), '--folder', `${scratch.folder}/tls-edge`]
  const edge = start(['exchange', 'edge', 'safe', ...place, ...options])
  const edges = [await addressOf(edge)]
  const client = await ExchangeClient.connect({ name: 'sensor', edges, tls: { ca: authority.ca, ...device } })
  await client.subscribe('readings')
  await client.publish('readings', Buffer.from('21.5'))
  expect(await client.getMessages('readings', { waitMs: 10_000 })).toHaveLength(1)
  client.close()
  edge.kill('SIGTERM')
  backend.kill('SIGTERM')
  await Promise.all([edge.outcome, backend.outcome])
  await authority.remove()
  const half = await hivemind('exchange', 'backend', '--folder', scratch.folder, ...(tls[0] ?? []))
  expect(half.code).toBe(exit.usage)
  expect(half.stderr).toContain('TLS needs --tls-cert, --tls-key and --tls-ca: give all three, or none.')
})
