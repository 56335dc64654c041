/** Nodes of the exchange in a Node-RED runtime, with a backend and an edge node. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Backend, Edge, ExchangeClient } from '@hivemind/exchange'
import type { NodeRedNode } from '@hivemind/synthesis'
import util from '@node-red/util'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeAuthority } from '../../../libs/exchange/test/certificates.ts'
import { FlowHost } from './flow.ts'
import type { FlowMessage } from './messages.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'hivemind-flow-'))
const arrived: { task: string; message: FlowMessage & { number?: number } }[] = []
const lines: string[] = []
/** Texts of status dots, by number of the event. */
const dots: string[] = []
let flow: FlowHost
let backend: Backend
let edge: Edge
let client: ExchangeClient

const tab: NodeRedNode = { id: 'tab', type: 'tab' }
const task = (id: string, ...wires: string[]): NodeRedNode => ({
  id,
  type: 'hivemind-task',
  z: 'tab',
  task: id,
  wires: [wires],
})
const connection = (edges: string, name = 'flow'): NodeRedNode => ({
  id: 'exchange',
  type: 'hivemind-exchange',
  z: 'tab',
  client: name,
  edges,
})
const node = (
  id: string,
  type: string,
  config: Record<string, unknown>,
  ...wires: string[]
): NodeRedNode => ({
  id,
  type: `hivemind-${type}`,
  z: 'tab',
  exchange: 'exchange',
  wires: [wires],
  ...config,
})
const text = (value: Uint8Array | null): string | null => value && Buffer.from(value).toString()
const send = (payload: unknown, rest: Record<string, unknown> = {}): void =>
  flow.send('flow', 'in', { topic: '', payload, ...rest } as FlowMessage)
const payloads = (): unknown[] => arrived.map(({ message }) => message.payload)

beforeAll(async () => {
  flow = await FlowHost.start(
    dir,
    (_, name, message) => arrived.push({ task: name, message }),
    (line) => lines.push(line),
  )
  util.events.on('node-status', (event) => {
    const { fill, text } = (event as { status?: { fill?: string; text?: string } }).status ?? {}
    dots.push(`${fill}: ${text}`)
  })
  backend = await Backend.start({ folder: path.join(dir, 'backend') })
  edge = await Edge.start({ name: 'edge', backend: backend.address, folder: path.join(dir, 'edge') })
  client = await ExchangeClient.connect({ name: 'test', edges: [edge.address] })
})
afterEach(async () => {
  await flow.unload('flow')
  for (const list of [arrived, lines, dots]) list.splice(0)
})
afterAll(async () => {
  client.close()
  await edge.close()
  await backend.close()
  rmSync(dir, { recursive: true, force: true })
})

test('what one flow publishes, a subscribe node of another one receives, in order and in its format', async () => {
  await flow.load('flow', [
    tab,
    connection(edge.address),
    node('json', 'subscribe', { topic: 'numbers', format: 'json' }, 'out'),
    node('text', 'subscribe', { topic: 'numbers', format: 'text' }, 'out-text'),
    task('out'),
    task('out-text'),
    task('in', 'publish'),
    node('publish', 'publish', { topic: '' }),
  ])
  await expect.poll(() => dots.filter((dot) => dot === 'green: connected').length).toBeGreaterThan(2)
  for (const n of [1, 2, 3]) send({ n }, { topic: 'numbers' })
  await expect.poll(() => arrived.length).toBe(6)
  expect(arrived.filter((each) => each.task === 'out').map(({ message }) => message.payload)).toEqual([
    { n: 1 },
    { n: 2 },
    { n: 3 },
  ])
  expect(arrived.filter((each) => each.task === 'out-text').map(({ message }) => message.number)).toEqual([
    1, 2, 3,
  ])
  await client.publish('numbers', Buffer.from('no JSON'))
  await expect
    .poll(() => lines.join('\n'))
    .toContain("Message 4 of 'numbers' is passed over: it is no JSON: 'no JSON'")
  expect(dots.some((dot) => dot.startsWith("red: Message 4 of 'numbers'"))).toBe(true)
  // A message without a topic is refused, and the node goes on.
  send('nowhere')
  await expect.poll(() => lines.join('\n')).toContain('The message has no topic')
  send(5, { topic: 'numbers' })
  await expect.poll(() => payloads()).toContain(5)
})

test('a flow that is loaded again has its subscriptions, and messages published meanwhile', async () => {
  const nodes = [
    tab,
    connection(edge.address, 'reloaded'),
    node('subscribe', 'subscribe', { topic: 'kept', format: 'text' }, 'out'),
    task('out'),
  ]
  await flow.load('flow', nodes)
  await expect.poll(() => dots).toContain('green: connected')
  await flow.unload('flow')
  await client.publish('kept', Buffer.from('meanwhile'))
  await flow.load('flow', nodes)
  await expect.poll(payloads).toEqual(['meanwhile'])
})

test('a topic that no node subscribes to any more is forgotten', async () => {
  const flowOf = (topic: string) => [
    tab,
    connection(edge.address, 'forgetful'),
    node('subscribe', 'subscribe', { topic, format: 'text' }, 'out'),
    task('out'),
  ]
  await flow.load('flow', flowOf('old'))
  await expect.poll(() => dots).toContain('green: connected')
  await flow.load('flow', flowOf('new'))
  await client.publish('old', Buffer.from('1'))
  await expect.poll(() => edge.kept('old')).toBe(1)
  await expect.poll(() => edge.kept('old'), { timeout: 10_000 }).toBe(0)
  await client.publish('new', Buffer.from('2'))
  await expect.poll(payloads).toEqual(['2'])
})

test.each(['linearizable', 'serializable', 'eventual'])(
  '%s objects are read, written, followed and removed',
  async (consistency) => {
    const name = `object-${consistency}`
    const config = { object: name, consistency, format: 'json' }
    await flow.load('flow', [
      tab,
      connection(edge.address),
      node('follow', 'object', { ...config, action: 'follow' }, 'followed'),
      task('followed'),
      task('in', 'write'),
      node('write', 'object', { ...config, action: 'write' }, 'read'),
      node('read', 'object', { ...config, action: 'read' }, 'out'),
      task('out'),
    ])
    await expect.poll(payloads).toEqual([null])
    send({ open: true })
    await expect.poll(payloads).toHaveLength(3)
    expect(arrived.slice(1).map(({ message }) => message.payload)).toEqual([{ open: true }, { open: true }])
    expect(
      arrived
        .slice(1)
        .map((each) => each.task)
        .sort(),
    ).toEqual(['followed', 'out'])
    const written =
      consistency === 'eventual'
        ? await (await client.objects.eventual(name)).read({ maxAgeMs: 0 })
        : consistency === 'serializable'
          ? await client.objects.transaction((each) => each.read(name))
          : await client.objects.read(name)
    expect(text(written)).toBe('{"open":true}')
    await flow.load('flow', [
      tab,
      connection(edge.address),
      task('in', 'remove'),
      node('remove', 'object', { ...config, action: 'remove' }, 'read'),
      node('read', 'object', { ...config, action: 'read' }, 'out'),
      task('out'),
    ])
    arrived.splice(0)
    send('gone')
    await expect.poll(payloads).toEqual([null])
  },
)

test('another consistency than that of the object, and a node without an exchange, are reported', async () => {
  await client.objects.write('fixed', Buffer.from('1'))
  await flow.load('flow', [
    tab,
    connection(edge.address),
    task('in', 'read'),
    node(
      'read',
      'object',
      { object: 'fixed', action: 'read', consistency: 'eventual', format: 'text' },
      'out',
    ),
    task('out'),
    node('lonely', 'publish', { topic: 'x', exchange: 'nothing' }),
  ])
  await expect.poll(() => lines.join('\n')).toContain('The node has no exchange: choose one')
  send('go')
  await expect.poll(() => lines.join('\n')).toContain("The object 'fixed' is linearizable, not eventual")
  expect(dots.some((dot) => dot.startsWith("red: The object 'fixed' is linearizable"))).toBe(true)
  expect(arrived).toEqual([])
})

test('an exchange that does not answer is tried again until it does', { timeout: 60_000 }, async () => {
  const folder = path.join(dir, 'late')
  const options = { name: 'late', backend: backend.address, folder }
  const first = await Edge.start(options)
  const { address } = first
  await first.close()
  await flow.load('flow', [
    tab,
    connection(address, 'late-flow'),
    task('in', 'publish'),
    node('publish', 'publish', { topic: 'late' }),
  ])
  await expect.poll(() => lines.join('\n'), { timeout: 20_000 }).toContain('The exchange is not reached')
  send('too early')
  await expect.poll(() => dots.join('\n')).toContain('red: The exchange is not reached')
  await client.subscribe('late')
  const late = await Edge.start({ ...options, port: Number(address.split(':')[1]) })
  await expect.poll(() => dots, { timeout: 20_000 }).toContain('green: connected')
  send('in time')
  const [message] = await client.getMessages('late', { waitMs: 10_000 })
  expect(text(message?.bytes ?? null)).toBe('in time')
  await flow.unload('flow')
  await late.close()
})

test('a connection with TLS carries messages, and says when a file is missing', async () => {
  const authority = await makeAuthority()
  const [own, device] = [await authority.issue('IP:127.0.0.1'), await authority.issue('DNS:device')]
  const tls = { ...own, ca: authority.ca, verifyClients: true }
  const safe = await Backend.start({ folder: path.join(dir, 'safe-backend'), tls })
  const near = await Edge.start({ name: 'near', backend: safe.address, folder: path.join(dir, 'near'), tls })
  const files = Object.fromEntries(
    Object.entries({ ca: authority.ca, ...device }).map(([part, pem]) => {
      const file = path.join(dir, `${part}.pem`)
      writeFileSync(file, pem)
      return [part, file]
    }),
  )
  const nodes = (more: object) => [
    tab,
    { ...connection(near.address, 'encrypted'), ...files, ...more },
    node('subscribe', 'subscribe', { topic: 'safe', format: 'text' }, 'out'),
    task('out'),
  ]
  await flow.load('flow', nodes({}))
  await expect.poll(() => dots).toContain('green: connected')
  const other = await ExchangeClient.connect({
    name: 'other',
    edges: [near.address],
    tls: { ca: authority.ca, ...device },
  })
  await other.publish('safe', Buffer.from('and sound'))
  await expect.poll(payloads).toEqual(['and sound'])
  other.close()
  await flow.unload('flow')
  await flow.load('flow', nodes({ key: path.join(dir, 'nowhere.pem') }))
  await expect
    .poll(() => dots.join())
    .toContain('red: The exchange node names a file for key that cannot be read')
  await near.close()
  await safe.close()
  await authority.remove()
})
