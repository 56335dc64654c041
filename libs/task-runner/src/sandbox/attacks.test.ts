/** What hostile task code gets of the machine: nothing. Each attack gets something with `HIVEMIND_SANDBOX=off`. */
import { type ChildProcess, spawn } from 'node:child_process'
import dgram from 'node:dgram'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeValue, encodeValue } from '@hivemind/values'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createTaskRunner,
  inspectSandbox,
  type RunnerSpec,
  type TaskError,
  type TaskRunner,
} from '../index.ts'

const code = fileURLToPath(new URL('../../test/code', import.meta.url))
const SECRET = `secret-${process.pid}`
const MARK = `hivemind-attack-${process.pid}`
const MEMORY_MB = 200

/** What only the runner's machine has, and an attack is after. */
const READS = [
  'environment of the runner',
  'a file',
  'a file of another project',
  'a file through the root of a process',
  'a file through the folder of a process',
  'a file through a link',
  'a file through a link in the bundle',
  'the accounts of the machine',
  'a folder',
  'the control groups',
  'other processes',
  'memory of the runner',
  'descriptors of the runner',
  'the network',
  'the name of the machine',
]
const CHANGES = [
  'overwrite a file',
  'delete a file',
  'change its bundle',
  'write to the system',
  'write at the root',
  'a setting of the kernel',
  'signal the runner',
  'signal another process',
]
const CONNECTIONS = [
  'a port of the machine',
  'a datagram to the machine',
  'an abstract socket',
  'a socket file',
]
const RIGHTS = [
  'the user of the runner',
  'more rights by a program',
  'capabilities',
  'namespaces of its own',
  'a priority above others',
  'a session of its own',
  // the kernel weighs sessions where it has been built to
  ...(existsSync('/proc/self/autogroup') ? ['the weight of others'] : []),
]
const SPACE = ['the disk', 'shared memory']
const PYTHON_ONLY = ['trace another process', 'memory without a process', 'memory of a file that is nowhere']
const ROOT_ONLY = new Set([
  'write to the system',
  'write at the root',
  'a setting of the kernel',
  'a priority above others',
  'capabilities',
])

let folder: string
let things: Record<string, unknown>
let bystander: ChildProcess
let runner: TaskRunner
const closing: (() => unknown)[] = []

beforeAll(async () => {
  process.env.HIVEMIND_ATTACK_SECRET = SECRET
  folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-attacks-'))
  for (const name of ['bundle', 'other']) mkdirSync(path.join(folder, name))
  for (const name of ['attacks.mjs', 'attacks.py'])
    copyFileSync(path.join(code, name), path.join(folder, 'bundle', name))
  const file = path.join(folder, 'other', 'secret.txt')
  writeFileSync(file, SECRET)
  symlinkSync(file, path.join(folder, 'bundle', 'linked'))
  bystander = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)', SECRET], {
    env: { HIVEMIND_ATTACK_SECRET: SECRET },
    cwd: path.join(folder, 'other'),
    stdio: 'ignore',
  })
  const udp = dgram.createSocket('udp4')
  udp.on('message', (_, from) => udp.send('got', from.port, from.address))
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
  const socketFile = path.join(folder, 'socket')
  const tcp = await listen({ port: 0, host: '127.0.0.1' })
  await listen({ path: socketFile })
  await listen({ path: `\0${MARK}` })
  closing.push(() => udp.close())
  things = {
    file,
    folder: path.join(folder, 'other'),
    victim: path.join(folder, 'other', 'victim.txt'),
    pid: process.pid,
    uid: process.getuid?.(),
    bystander: bystander.pid,
    hostname: os.hostname(),
    port: (tcp.address() as net.AddressInfo).port,
    udpPort: udp.address().port,
    abstract: MARK,
    socketFile,
    mark: MARK,
  }
})

beforeEach(() => {
  for (const name of ['other/victim.txt', 'bundle/data.txt']) writeFileSync(path.join(folder, name), 'whole')
})
afterEach(async () => {
  await runner?.close()
  for (const pid of left()) process.kill(pid, 'SIGKILL')
})
afterAll(() => {
  bystander.kill('SIGKILL')
  for (const close of closing) close()
  rmSync(folder, { recursive: true, force: true })
  delete process.env.HIVEMIND_ATTACK_SECRET
})

async function listen(options: net.ListenOptions): Promise<net.Server> {
  const server = net.createServer((socket) => socket.on('error', () => {}).end())
  await new Promise<void>((resolve) => server.listen(options, resolve))
  closing.push(() => server.close())
  return server
}

/** Processes that an attack has left behind. */
function left(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(MARK)
      } catch {
        return false
      }
    })
    .map(Number)
}

/** What an attack says, prints and ends with. */
async function attack(runtime: 'node' | 'python', name: string, more: Partial<RunnerSpec> = {}) {
  runner = createTaskRunner({
    task: 'attack',
    runtime,
    dir: path.join(folder, 'bundle'),
    code: runtime === 'node' ? 'attacks.mjs' : 'attacks.py',
    args: {},
    memoryMB: MEMORY_MB,
    ...more,
  })
  const got: unknown[] = []
  const keep = (_: string, text: string): void => void got.push(text)
  const error = await runner
    .invoke({
      inputs: { x: { kind: 'one', value: encodeValue({ attack: name, ...things }) } },
      context: { run: 'r', task: 'attack', device: '*', deviceIndex: -1, devices: [], seq: 0 },
      timeoutMs: 30_000,
      onLog: keep,
      onItem: ({ value }) => void got.push(decodeValue(value)),
    })
    .then(
      () => undefined,
      (error: TaskError) => error,
    )
  return { got, error, said: JSON.stringify([got, error?.message, error?.detail]) }
}

describe.runIf(inspectSandbox().works).each(['node', 'python'] as const)('hostile code in %s', (runtime) => {
  const own = runtime === 'python' ? PYTHON_ONLY : []
  const names = [...READS, ...CHANGES, ...CONNECTIONS, ...RIGHTS, ...SPACE, ...own]
  it.each(names.filter((name) => process.getuid?.() === 0 || !ROOT_ONLY.has(name)))(
    'does not get: %s',
    async (name) => {
      const { got, said } = await attack(runtime, name)
      expect(got).not.toContain('got')
      expect(said).not.toContain(SECRET)
      for (const file of ['other/victim.txt', 'bundle/data.txt'])
        expect(readFileSync(path.join(folder, file), 'utf8')).toBe('whole')
    },
  )

  it.runIf(existsSync('/proc/self/autogroup'))('gives way to others on the cores', async () => {
    const { got } = await attack(runtime, 'nothing')
    const nice = Math.min(19, os.getPriority() + 5)
    expect(got[0]).toMatch(new RegExp(`^${nice} /autogroup-\\d+ nice 5$`))
  })

  it('has the network when its task says so, and is told of the argument when it does not', async () => {
    expect((await attack(runtime, 'a port of the machine', { network: true })).got).toContain('got')
    await runner.close()
    expect((await attack(runtime, 'a port of the machine')).error?.message).toContain("network='all'")
  })

  it.each(['a daemon', 'a daemon that holds the output'])('leaves nothing behind: %s', async (name) => {
    const { got } = await attack(runtime, name)
    expect(got).toContain('left')
    await expect.poll(left).not.toEqual([])
    await runner.close()
    expect(left()).toEqual([])
  })

  it('is stopped for memory between calls', async () => {
    const { got } = await attack(runtime, 'memory between calls')
    expect(got).toContain('left')
    await expect.poll(() => runner.memoryMB(), { timeout: 20_000 }).toBe(0)
  })

  it.each([
    ['many processes', 'crash', /more than 64 processes/],
    ['memory in a child', 'memory', /200 MB/],
    ['memory in many children', 'memory', /200 MB/],
    ['garbage to the runner', 'crash', /cannot be read/],
    ['a message without end', 'crash', /cannot be read/],
  ])('is stopped for: %s', async (name, kind, sentence) => {
    const { got, error } = await attack(runtime, name)
    expect(got).not.toContain('got')
    expect(error).toMatchObject({ kind, message: expect.stringMatching(sentence) })
    await expect.poll(left).toEqual([])
  })
})
