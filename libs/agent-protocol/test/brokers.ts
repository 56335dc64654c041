/** Brokers for tests, on free ports of this machine: the embedded one, and Debian's Mosquitto. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  deviceAuthenticator,
  devicePassword,
  linkByUrl,
  mosquittoAcl,
  type OpenLink,
  startBroker,
} from '../src/node/index.ts'

export const FLEET = 'swarm'
export const SECRET = 'a secret of the tests'
const DEVICES = ['d1', 'd2']
const SERVICE = { username: 'service', password: 'of the service' }

export interface TestBroker {
  url: string
  /** Lines that it logged. */
  log: string[]
  openLink(clientId: string): OpenLink
  /** Stops it as if it crashed, and starts it again on the same port. Absent where it lives and dies with the service. */
  restart?: () => Promise<void>
  stop(): Promise<void>
}

export const passwordOf = (device: string): string => devicePassword(SECRET, device)

async function embedded(inProcess: boolean): Promise<TestBroker> {
  const log: string[] = []
  const device = deviceAuthenticator({
    fleet: FLEET,
    secret: SECRET,
    isEnrolled: (id) => DEVICES.includes(id),
  })
  const start = (port: number) =>
    startBroker({
      port,
      authenticate: (username, password) =>
        username === SERVICE.username && password === SERVICE.password
          ? { role: 'service', fleet: FLEET }
          : device(username, password),
      log: (_, line) => log.push(line),
    })
  let broker = await start(0)
  const { port, url } = broker
  if (inProcess) return { url, log, openLink: () => broker.openLink, stop: () => broker.close() }
  return {
    url,
    log,
    openLink: (clientId) => linkByUrl({ url, clientId, ...SERVICE }),
    restart: async () => {
      await broker.close()
      broker = await start(port)
    },
    stop: () => broker.close(),
  }
}

async function mosquitto(): Promise<TestBroker> {
  const port = await freePort()
  const dir = mkdtempSync(path.join(tmpdir(), 'hivemind-mosquitto-'))
  const passwords = path.join(dir, 'passwords')
  writeFileSync(passwords, '')
  const users = [[SERVICE.username, SERVICE.password], ...DEVICES.map((id) => [id, passwordOf(id)])]
  for (const [user = '', password = ''] of users) {
    const { status, stderr } = spawnSync('mosquitto_passwd', ['-b', passwords, user, password], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`mosquitto_passwd failed: ${stderr}`)
  }
  const rights = path.join(dir, 'acl')
  writeFileSync(rights, mosquittoAcl(FLEET, SERVICE.username))
  const config = path.join(dir, 'mosquitto.conf')
  const lines = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous false',
    `password_file ${passwords}`,
    `acl_file ${rights}`,
    'persistence false',
    'set_tcp_nodelay true',
    'log_dest stderr',
    'log_type all',
  ]
  if (process.getuid?.() === 0) lines.push('user root')
  writeFileSync(config, lines.join('\n'))
  const log: string[] = []
  let child: ChildProcess
  const start = async (): Promise<void> => {
    child = spawn('mosquitto', ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr?.on('data', (text: Buffer) => log.push(...text.toString().trim().split('\n')))
    await reachable(port)
  }
  const crash = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  await start()
  const url = `mqtt://127.0.0.1:${port}`
  return {
    url,
    log,
    openLink: (clientId) => linkByUrl({ url, clientId, ...SERVICE }),
    restart: async () => {
      await crash()
      await start()
    },
    stop: async () => {
      await crash()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export const brokers: [name: string, start: () => Promise<TestBroker>][] = [
  ['the embedded broker, the service in its process', () => embedded(true)],
  ['the embedded broker, the service by URL', () => embedded(false)],
  ['Mosquitto', mosquitto],
]

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function reachable(port: number): Promise<void> {
  await until(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1')
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
        socket.once('connect', () => socket.destroy())
      }),
    'the broker listens',
  )
}

/** Waits until `done` holds; throws after `limitMs`. */
export async function until(
  done: () => boolean | Promise<boolean>,
  what: string,
  limitMs = 20_000,
): Promise<void> {
  const from = performance.now()
  while (!(await done())) {
    if (performance.now() - from > limitMs) throw new Error(`Waited ${limitMs} ms in vain: ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
