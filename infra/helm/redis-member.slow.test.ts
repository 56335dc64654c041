/** The members of the chart's Redis Cluster, each with an address of its own on loopback. On a cluster: `redis.slow.cluster.test.ts`. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openRedisStore, type Store } from '@hivemind/store'
import { afterAll, beforeAll, expect, test } from 'vitest'

const execute = promisify(execFile)
const files = fileURLToPath(new URL('hivemind/files', import.meta.url))
const script = path.join(files, 'redis-member.sh')
const PASSWORD = 'the-password-of-the-test'
/** Addresses that no other test has, on a port that all members have. */
const network = `127.${100 + (process.pid % 100)}.${Math.floor(Math.random() * 256)}`
const hosts = [1, 2, 3, 4, 5, 6].map((member) => `${network}.${member}`)
/** Two members on each machine. */
const machineOf = (member: number): string => `machine-${member % 3}`

let root: string
let store: Store
const running: (ChildProcess | undefined)[] = []
const folderOf = (member: number): string => path.join(root, `member-${member}`)
const environmentOf = (member: number) => ({
  PATH: process.env.PATH,
  MEMBERS: hosts.join(' '),
  HOST: hosts[member],
  ADDRESS: hosts[member],
  NODE: machineOf(member),
  REDISCLI_AUTH: PASSWORD,
  FILES: files,
  TLS: path.join(root, 'tls'),
  DATA: path.join(folderOf(member), 'data'),
  SCRATCH: folderOf(member),
})

async function start(member: number): Promise<void> {
  const env = environmentOf(member)
  await mkdir(env.DATA, { recursive: true })
  const options = ['--bind', hosts[member] as string, '--cluster-node-timeout', '2000']
  // A group of its own, so that it can be killed with its server, as a container is.
  running[member] = spawn('sh', [script, 'run', ...options], { env, stdio: 'ignore', detached: true })
}

async function end(member: number, signal: NodeJS.Signals): Promise<void> {
  const child = running[member]
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal)
  await ended
}

const runs = (command: string, member: number): Promise<boolean> =>
  execute('sh', [script, command], { env: environmentOf(member) }).then(
    () => true,
    () => false,
  )

async function ask(member: number, ...command: string[]): Promise<string> {
  const ca = path.join(root, 'tls/ca.crt')
  const args = ['-e', '-h', hosts[member] as string, '--tls', '--cacert', ca, ...command]
  return (await execute('redis-cli', args, { env: environmentOf(member) })).stdout.trim()
}

interface Node {
  member: number
  flags: string
  primary: string
  id: string
}

/** Who is in the cluster, as a member sees it. */
async function viewOf(member: number): Promise<Node[]> {
  const lines = (await ask(member, 'CLUSTER', 'NODES')).split('\n')
  return lines.map((line) => {
    const [id = '', address = '', flags = '', primary = ''] = line.split(' ')
    return { id, flags, primary, member: hosts.indexOf(address.replace(/:.*/, '')) }
  })
}

const isReady = async (): Promise<boolean> =>
  (await Promise.all(hosts.map((_, member) => runs('ready', member)))).every(Boolean)

/** Pairs of a primary and its replica: three, and nobody else. */
async function pairs(member: number): Promise<[number, number][]> {
  const view = await viewOf(member)
  expect(view.map((node) => node.member).sort()).toEqual([0, 1, 2, 3, 4, 5])
  const replicas = view.filter(({ flags }) => flags.includes('slave'))
  return replicas.map((replica): [number, number] => [
    view.find(({ id }) => id === replica.primary)?.member ?? -1,
    replica.member,
  ])
}

/** Waits until all members are ready, and every primary has a replica. */
async function whole(): Promise<[number, number][]> {
  await expect.poll(isReady, { timeout: 90_000, interval: 500 }).toBe(true)
  await expect
    .poll(async () => new Set((await pairs(0).catch(() => [])).map(([primary]) => primary)).size, {
      timeout: 90_000,
    })
    .toBe(3)
  return pairs(0)
}

const keys = Array.from({ length: 40 }, (_, index) => `/swarm/${index}`)
const values = async (): Promise<string[]> =>
  Promise.all(keys.map(async (key) => Buffer.from((await store.get(key))?.bytes ?? '').toString()))

beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'hivemind-members-'))
  const tls = path.join(root, 'tls')
  await mkdir(tls)
  const names = hosts.map((host) => `IP:${host}`).join(',')
  await execute('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=members', '-addext', `subjectAltName=${names}`],
    ...['-keyout', path.join(tls, 'tls.key'), '-out', path.join(tls, 'tls.crt')],
  ])
  await execute('cp', [path.join(tls, 'tls.crt'), path.join(tls, 'ca.crt')])
  await Promise.all(hosts.map((_, member) => start(member)))
})
afterAll(async () => {
  await store?.close()
  await Promise.all(hosts.map((_, member) => end(member, 'SIGKILL')))
  await rm(root, { recursive: true, force: true })
})

test('six members make a cluster with TLS, each primary and its replica on two machines', async () => {
  const made = await whole()
  expect(made.map(([primary]) => primary).sort()).toEqual([0, 1, 2])
  for (const [primary, replica] of made) expect(machineOf(primary)).not.toBe(machineOf(replica))
  expect(await runs('wait', 0)).toBe(true)

  const authority = await readFile(path.join(root, 'tls/ca.crt'), 'utf8')
  const url = `rediss://:${PASSWORD}@${hosts[1]}`
  await expect(openRedisStore({ url })).rejects.toThrow(/cannot be used.*certificate/)
  store = await openRedisStore({ url, authority, replicas: 1 })
  await store.createPool('/swarm', { persistence: 'persistent' })
  for (const key of keys) await store.put(key, { type: 'text/plain', bytes: Buffer.from(key) })
  expect(await values()).toEqual(keys)
}, 120_000)

test('a primary that is ended hands over, so that nothing fails meanwhile', async () => {
  const [[primary = -1, replica = -1] = []] = await whole()
  let failures = 0
  let isOver = false
  const writing = (async () => {
    while (!isOver) await Promise.all(keys.map((key) => store.get(key).catch(() => failures++)))
  })()
  await end(primary, 'SIGTERM')
  expect((await viewOf(replica)).find(({ member }) => member === replica)?.flags).toContain('master')
  isOver = true
  await writing
  expect(failures).toBe(0)
  await start(primary)
  expect(await whole()).toContainEqual([replica, primary])
  expect(await values()).toEqual(keys)
}, 180_000)

test.each(['the first member', 'another primary'])(
  '%s loses its volume',
  async (which) => {
    const before = await whole()
    const lost =
      which === 'the first member' ? 0 : (before.map(([primary]) => primary).find(Boolean) as number)
    await end(lost, 'SIGKILL')
    await rm(folderOf(lost), { recursive: true })
    await start(lost)
    // It is a replica under a new id, and the old one is forgotten.
    await expect
      .poll(
        () =>
          viewOf(lost).then(
            (view) => view.length,
            () => 0,
          ),
        { timeout: 60_000 },
      )
      .toBeGreaterThan(1)
    const after = await whole()
    expect(after.map(([, replica]) => replica)).toContain(lost)
    expect(await values()).toEqual(keys)
  },
  240_000,
)

test('all members are killed at once', async () => {
  await whole()
  await Promise.all(hosts.map((_, member) => end(member, 'SIGKILL')))
  await Promise.all(hosts.map((_, member) => start(member)))
  await whole()
  await expect.poll(() => values().catch(() => []), { timeout: 30_000 }).toEqual(keys)
}, 180_000)
