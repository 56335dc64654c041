/** `hivemind exchange`: nodes as a person starts them. */
import { ExchangeClient } from '@hivemind/exchange'
import { afterAll, beforeAll, expect, it } from 'vitest'
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
  const backend = start(['exchange', 'backend', '--folder', `${scratch.folder}/backend`, '--json'], env)
  const place = ['--backend', await addressOf(backend), '--folder', `${scratch.folder}/north`]
  const edge = start(['exchange', 'edge', 'north', ...place, '--json'], env)
  const edges = [await addressOf(edge)]
  const client = await ExchangeClient.connect({ name: 'sensor', edges, token: 'secret' })
  await client.subscribe('readings')
  await client.publish('readings', Buffer.from('21.5'))
  const [message] = await client.getMessages('readings', { waitMs: 10_000 })
  expect(Buffer.from(message?.bytes ?? []).toString()).toBe('21.5')
  client.close()

  const taken = await hivemind('exchange', 'edge', 'north', ...place)
  expect(taken.code).toBe(exit.other)
  expect(taken.stderr).toContain('is in use by another node')

  edge.kill('SIGTERM')
  expect((await edge.outcome).code).toBe(exit.other)
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
})
