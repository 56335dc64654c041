/**
 * The interface of a workflow, served by us, called by others: clients in C++ and Python whose stubs the Apache Thrift
 * compiler made of the generated IDL. Needs thrift, g++, libthrift and Python's thrift package (Debian's own Python).
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createServer, RpcException, type RpcHandler, type RpcServer, writeStubs } from '@hivemind/rpc'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentService, edgeApi, gatewayService, synthesise } from '../src/index.ts'
import { filesOf, hostileNames, task, workflowOf } from './fixtures.ts'

const execute = promisify(execFile)
const clients = fileURLToPath(new URL('clients/', import.meta.url))

/** Edge to cloud and back: `frame` leaves the devices, and `steer` is entered from outside with `route`. */
const workflow = workflowOf([
  task('look', { dataOut: 'frame', children: ['plan'] }),
  task('plan', { dataIn: ['frame'], dataOut: 'route', parents: ['look'], children: ['steer'] }),
  task('steer', { dataIn: ['route'], parents: ['plan'] }),
])

const { plan, thrift } = synthesise({
  name: 'patrol',
  workflow,
  placement: { look: 'edge', plan: 'cloud', steer: 'edge' },
  files: filesOf(workflow),
})
const model = edgeApi(plan)

let folder: string
let stubs: string[]
let servers: RpcServer[]
let calls: Record<string, unknown[]>

/** Handlers that keep what they are called with; all but `answers` give nothing back. */
function recorders(service: string, answers: Record<string, RpcHandler>): Record<string, RpcHandler> {
  const functions = model.services.find(({ name }) => name === service)?.functions ?? []
  return Object.fromEntries(
    functions.map(({ name }): [string, RpcHandler] => [
      name,
      (args, call) => {
        calls[name] = [...(calls[name] ?? []), args]
        return answers[name]?.(args, call)
      },
    ]),
  )
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hivemind-stubs-'))
  stubs = await writeStubs(thrift, ['cpp', 'py', 'js'], folder, 'patrol')
  calls = {}
  servers = [
    await createServer(
      model,
      agentService(plan),
      recorders(agentService(plan), {
        info: () => ({ device: 'Gerät-1', pid: 4711, port: 65_535, version: '1' }),
        steer: ({ key }) => {
          if ((key as { seq: number }).seq >= 0) return
          throw new RpcException('TaskFailure', { kind: 'value', message: 'no such item', detail: 'seq -1' })
        },
      }),
    ),
    await createServer(
      model,
      gatewayService(plan),
      recorders(gatewayService(plan), {
        taskFailed: () => {
          throw new Error('the gateway is at a loss')
        },
      }),
    ),
  ]
})
afterAll(async () => {
  for (const server of servers ?? []) await server.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const key = (task: string, seq: number) => ({ run: 'run-1', task, device: 'Gerät-1', seq })
const payload = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
const bytesOf = (value: unknown) => Buffer.from((value as { payload: Uint8Array }).payload)

/** Runs a client against our servers and compares what it printed and what arrived. */
async function converse(command: string, argsFor: (ports: string[]) => string[]): Promise<void> {
  calls = {}
  const args = argsFor(servers.map(({ port }) => String(port)))
  const { stdout } = await execute(command, args, { timeout: 120_000 })
  expect(stdout.split('\n')).toEqual([
    'info Gerät-1 4711 65535 1',
    'steered',
    'failure value no such item seq -1',
    'told',
    'fault 6 the gateway is at a loss',
    'ended',
    '',
  ])
  expect(calls.startRun).toEqual([
    {
      start: {
        run: 'run-1',
        device: 'Gerät-1',
        deviceIndex: 0,
        devices: ['Gerät-1', 'device-2'],
        maxItems: -1,
      },
    },
  ])
  const [steered, refused] = calls.steer as Record<string, unknown>[]
  expect(steered).toMatchObject({
    key: key('steer', 7),
    delivery: { epoch: 3, attempt: 1, shape: 'object', readyAt: 1763700000000.25, sentAt: 1763700000000.5 },
    input1: { name: 'route', contentType: 'application/cbor' },
  })
  expect(bytesOf(steered?.input1)).toEqual(payload)
  expect(refused).toMatchObject({ key: key('steer', -1) })
  expect(bytesOf(refused?.input1)).toHaveLength(0)
  const [told] = calls.frame as Record<string, unknown>[]
  expect(told).toMatchObject({ key: key('look', 0), value: { name: 'frame' } })
  expect(bytesOf(told?.value)).toEqual(payload)
  const [{ spans }] = calls.spans as [{ spans: unknown[] }]
  expect(spans).toHaveLength(2)
  expect(spans[1]).toMatchObject({
    key: key('look', 0),
    worker: 'worker',
    execution: 0.125,
    bytesOut: 5_000_000_000,
    ok: true,
    attempt: 1,
  })
  expect(calls.taskFailed).toEqual([{ key: key('look', 0), kind: 'crash', message: 'it broke', detail: '' }])
  expect(calls.endRun).toEqual([{ run: 'run-1' }])
}

describe('stubs of the Thrift compiler talk to our servers', () => {
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
