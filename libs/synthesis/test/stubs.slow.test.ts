/**
 * The interface of a workflow, served and called by stubs in other languages that the Apache Thrift compiler made of the
 * generated IDL. Needs thrift, g++, libthrift and Python's thrift package (Debian's own Python).
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { writeStubs } from '@hivemind/rpc'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { synthesise } from '../src/index.ts'
import { filesOf, hostileNames, task, workflowOf } from './fixtures.ts'

const execute = promisify(execFile)
const clients = fileURLToPath(new URL('clients/', import.meta.url))

/** Edge to cloud and back: `frame` leaves the devices, and `steer` is entered from outside with `route`. */
const workflow = workflowOf([
  task('look', { dataOut: 'frame', children: ['plan'] }),
  task('plan', { dataIn: ['frame'], dataOut: 'route', parents: ['look'], children: ['steer'] }),
  task('steer', { dataIn: ['route'], parents: ['plan'] }),
])

const { thrift } = synthesise({
  name: 'patrol',
  workflow,
  placement: { look: 'edge', plan: 'cloud', steer: 'edge' },
  files: filesOf(workflow),
})

let folder: string
let stubs: string[]
let server: ChildProcess
let lines: AsyncIterator<string>
let ports: string[]

/** The next line of JSON that the server prints. */
async function next<T>(): Promise<T> {
  const { value, done } = await lines.next()
  if (done) throw new Error('The server has ended.')
  return JSON.parse(value) as T
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hivemind-stubs-'))
  stubs = await writeStubs(thrift, ['cpp', 'py', 'js'], folder, 'patrol')
  const child = spawn('/usr/bin/python3', [path.join(clients, 'server.py'), path.join(folder, 'py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  server = child
  lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  ports = (await next<number[]>()).map(String)
})
afterAll(async () => {
  if (server?.exitCode === null) {
    server.kill('SIGKILL')
    await once(server, 'close')
  }
  if (folder) await rm(folder, { recursive: true, force: true })
})

const key = (task: string, seq: number) => ({ run: 'run-1', task, device: 'Gerät-1', seq })
const payload = Array.from({ length: 256 }, (_, byte) => byte)

/** Runs a client against the server and compares what it printed and what arrived. */
async function converse(command: string, argsFor: (ports: string[]) => string[]): Promise<void> {
  const { stdout } = await execute(command, argsFor(ports), { timeout: 120_000 })
  expect(stdout.split('\n')).toEqual([
    'info Gerät-1 4711 65535 1',
    'steered',
    'failure value no such item seq -1',
    'told',
    'fault 6 the gateway is at a loss',
    'ended',
    '',
  ])
  server.stdin?.write('\n')
  const calls = await next<Record<string, unknown[][]>>()
  expect(calls.startRun).toEqual([
    [
      {
        run: 'run-1',
        device: 'Gerät-1',
        deviceIndex: 0,
        devices: ['Gerät-1', 'device-2'],
        maxItems: -1,
      },
    ],
  ])
  expect(calls.steer).toMatchObject([
    [
      key('steer', 7),
      { epoch: 3, attempt: 1, shape: 'object', readyAt: 1763700000000.25, sentAt: 1763700000000.5 },
      { name: 'route', contentType: 'application/cbor', payload },
    ],
    [key('steer', -1), {}, { payload: [] }],
  ])
  expect(calls.frame).toMatchObject([[key('look', 0), { name: 'frame', payload }]])
  const span = {
    key: key('look', 0),
    worker: 'worker',
    execution: 0.125,
    bytesOut: 5_000_000_000,
    ok: true,
    attempt: 1,
  }
  expect(calls.spans).toMatchObject([[[span, span]]])
  expect(calls.taskFailed).toEqual([[key('look', 0), 'crash', 'it broke', '']])
  expect(calls.endRun).toEqual([['run-1']])
}

describe('stubs of the Thrift compiler talk to each other', () => {
  it('in C++', { timeout: 600_000 }, async () => {
    const program = path.join(folder, 'client')
    await execute(
      'g++',
      [
        '-std=c++17',
        '-I',
        path.join(folder, 'cpp'),
        path.join(clients, 'client.cpp'),
        ...(await sourcesIn(path.join(folder, 'cpp'))),
        '-lthrift',
        '-o',
        program,
      ],
      { timeout: 500_000 },
    )
    await converse(program, (ports) => ports)
  })

  it('in Python', { timeout: 200_000 }, async () => {
    await converse('/usr/bin/python3', (ports) => [
      path.join(clients, 'client.py'),
      ...ports,
      path.join(folder, 'py'),
    ])
  })
})

/** The C++ sources that the compiler made, without its examples of a server. */
async function sourcesIn(cpp: string): Promise<string[]> {
  return (await readdir(cpp))
    .filter((file) => file.endsWith('.cpp') && !file.endsWith('skeleton.cpp'))
    .map((file) => path.join(cpp, file))
}

describe('names that mean something to a language', () => {
  const hostile = workflowOf(
    hostileNames.flatMap((name) => [
      task(`${name}`, { code: 'a.mjs', dataOut: name, children: [`${name}Sink`] }),
      task(`${name}Sink`, { code: 'a.mjs', dataIn: [name], parents: [name] }),
    ]),
  )
  const placement = Object.fromEntries(
    hostile.tasks.map(({ name }) => [name, name.endsWith('Sink') ? 'cloud' : 'edge'] as const),
  )
  let made: string
  beforeAll(async () => {
    made = path.join(folder, 'hostile')
    const { thrift } = synthesise({ name: 'hostile', workflow: hostile, placement, files: filesOf(hostile) })
    await writeStubs(thrift, ['cpp', 'py', 'js'], made, 'hostile')
  })

  it('compile in C++', { timeout: 600_000 }, async () => {
    const cpp = path.join(made, 'cpp')
    for (const standard of ['-std=gnu++17', '-std=c++20'])
      await execute('g++', [standard, '-w', '-fsyntax-only', '-I', cpp, ...(await sourcesIn(cpp))], {
        timeout: 500_000,
        maxBuffer: 1e8,
      })
  })

  it('are methods in Python, each with its own arguments', { timeout: 60_000 }, async () => {
    const script = `import inspect, sys
sys.path.insert(0, sys.argv[1])
from hostile import HostileAgent, HostileGateway
for service, common in ((HostileAgent, 3), (HostileGateway, 7)):
    for name, method in inspect.getmembers(service.Iface, inspect.isfunction):
        wanted = list(inspect.signature(method).parameters)
        assert list(inspect.signature(getattr(service.Client, name)).parameters) == wanted, name
        assert not hasattr(object, name), name
    print(len(inspect.getmembers(service.Iface, inspect.isfunction)) - common)
`
    const { stdout } = await execute('/usr/bin/python3', ['-c', script, path.join(made, 'py')])
    expect(stdout).toBe(`${hostileNames.length}\n${hostileNames.length}\n`)
  })

  it('hide nothing of a client in JavaScript', { timeout: 60_000 }, async () => {
    for (const service of ['HostileAgent', 'HostileGateway']) {
      const file = path.join(made, 'js', `${service}.js`)
      await execute(process.execPath, ['--check', file])
      const text = await readFile(file, 'utf8')
      const methods = [...text.matchAll(new RegExp(`^${service}Client\\.prototype\\.(\\w+) = `, 'gm'))]
      const names = methods.map(([, name]) => name ?? '')
      expect(names.length).toBeGreaterThan(2 * hostileNames.length)
      expect(new Set(names).size).toBe(names.length)
      const [client = ''] = new RegExp(`${service}Client = [^]*?^};`, 'm').exec(text) ?? []
      const own = [...client.matchAll(/this\.(\w+) = /g)].map(([, name]) => name)
      expect(own).toContain('output')
      expect(names.filter((name) => own.includes(name))).toEqual([])
    }
  })
})

it('stubs for Node.js are JavaScript', { timeout: 60_000 }, async () => {
  const files = stubs.filter((file) => file.startsWith('js/'))
  expect(files).toContain('js/PatrolAgent.js')
  for (const file of files) await execute(process.execPath, ['--check', path.join(folder, file)])
})
