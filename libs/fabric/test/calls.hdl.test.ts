/** Calls through the fabric: workers and callers in three languages, the dispatcher and the memory of a simulated board between them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { functionId } from '../src/calls/protocol.ts'
import { rowOf } from '../src/dispatch.ts'
import {
  compileModel,
  FabricCache,
  FabricCaller,
  FabricWorker,
  SimulatedBoard,
  SlowPathError,
  serveBoard,
  Toolchain,
} from '../src/index.ts'
import { keepBuilds, toEnd } from './kept-build.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const peers = path.join(import.meta.dirname, 'calls')
const work = mkdtempSync(path.join(os.tmpdir(), 'hm-calls-'))
const board = path.join(work, 'board')
const program = path.join(work, 'peer')
const stop = new AbortController()
const children: ChildProcess[] = []
/** Places of the match table: the default. */
const FUNCTIONS = 256
let served: Promise<void>
let host: ChildProcess
let hostSaid = ''
let ports: { port: number; http: number }

/** Starts a process; resolves with the first line that it prints. */
async function started(command: string, args: string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, HIVEMIND_FABRIC_DIR: work },
  })
  children.push(child)
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')) as [
    string,
  ]
  return { child, line }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'exit')
  child.kill(signal)
  await closed
}

const startHost = async (port = 0): Promise<void> => {
  const cli = path.join(root, 'apps/cli/bin/hivemind.mjs')
  const args = [cli, 'fabric', 'host', '--board', board, '--port', String(port), '--http', '0', '--json']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HIVEMIND_FABRIC_DIR: work },
  })
  children.push(child)
  let printed = ''
  hostSaid = ''
  child.stderr.on('data', (bytes) => (hostSaid += bytes))
  for await (const bytes of child.stdout) {
    printed += bytes
    if (printed.trimEnd().endsWith('}')) break
  }
  expect(printed, hostSaid).toContain('}')
  host = child
  ports = JSON.parse(printed) as typeof ports
}

/** What the host answers to a datagram. */
async function hostSays(text: string): Promise<string> {
  const socket = createSocket('udp4')
  socket.send(text, ports.port, '127.0.0.1')
  const [bytes] = (await once(socket, 'message')) as [Buffer]
  socket.send('{"kind": "bye"}', ports.port, '127.0.0.1', () => socket.close())
  return bytes.toString()
}

beforeAll(async () => {
  const { golden } = await keepBuilds(work)
  mkdirSync(board)
  const cache = new FabricCache(work)
  const simulated = new SimulatedBoard(board, (build) =>
    toEnd(compileModel(build, { tools: new Toolchain(), cache })),
  )
  await new Promise<void>((resolve, reject) => {
    served = serveBoard({
      board: simulated,
      folder: board,
      golden,
      cache,
      signal: stop.signal,
      ready: resolve,
    })
    served.catch(reject)
  })
  const clients = path.join(import.meta.dirname, '../clients/cpp')
  await promisify(execFile)('g++', [
    '-std=c++17',
    '-pthread',
    '-I',
    clients,
    '-o',
    program,
    path.join(peers, 'peer.cpp'),
  ])
  await startHost()
}, 900_000)

afterAll(async () => {
  for (const child of children) await ended(child, 'SIGKILL')
  stop.abort()
  await served
  rmSync(work, { recursive: true, force: true })
})

const languages = {
  TypeScript: { serves: 'ts.length' },
  Python: { serves: 'py.upper', command: 'python3', args: [path.join(peers, 'peer.py')] },
  'C++': { serves: 'cpp.reverse', command: program, args: [] as string[] },
}
const answers: Record<string, string> = {
  'ts.length': '11',
  'py.upper': 'HELLO WORLD',
  'cpp.reverse': 'dlrow olleh',
}

describe('workers and callers in three languages', () => {
  let worker: FabricWorker
  let caller: FabricCaller

  beforeAll(async () => {
    worker = await FabricWorker.open(
      { 'ts.length': (payload) => Buffer.from(String(payload.length)) },
      { port: ports.port },
    )
    for (const language of [languages.Python, languages['C++']])
      expect((await started(language.command, [...language.args, 'worker', String(ports.port)])).line).toBe(
        'ready',
      )
    caller = await FabricCaller.open({ port: ports.port })
  }, 60_000)
  afterAll(() => {
    worker.close()
    caller.close()
  })

  test.each(Object.keys(answers))(
    '%s is called from TypeScript, Python, C++ and over HTTP',
    { timeout: 240_000 },
    async (name) => {
      const answer = answers[name] as string
      expect((await caller.call(name, Buffer.from('hello world'))).toString()).toBe(answer)
      for (const language of [languages.Python, languages['C++']]) {
        const { stdout } = await promisify(execFile)(language.command, [
          ...language.args,
          'caller',
          String(ports.port),
          name,
          'hello world',
        ])
        expect(stdout.trim()).toBe(answer)
      }
      const response = await fetch(`http://127.0.0.1:${ports.http}/functions/${name}`, {
        method: 'POST',
        body: 'hello world',
      })
      expect([response.status, await response.text()]).toEqual([200, answer])
    },
  )

  test('many calls at once each get their own answer, the largest and the empty too', {
    timeout: 240_000,
  }, async () => {
    const texts = ['', 'x'.repeat(1024), ...Array.from({ length: 60 }, (_, n) => `text ${n} `.repeat(n % 40))]
    const got = await Promise.all(
      texts.map(async (text) => (await caller.call('cpp.reverse', Buffer.from(text))).toString()),
    )
    expect(got).toEqual(texts.map((text) => [...text].reverse().join('')))
    await expect(caller.call('cpp.reverse', Buffer.alloc(1025))).rejects.toThrow('at most 1024 bytes')
  })

  test('what nobody serves is said at once, in every language and over HTTP, and no call after it is held up', {
    timeout: 240_000,
  }, async () => {
    for (let n = 0; n < 6; n++) {
      const error = await caller.call('nobody', Buffer.from('x')).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(SlowPathError)
      expect((error as SlowPathError).reason).toBe(3)
    }
    for (const language of [languages.Python, languages['C++']])
      await expect(
        promisify(execFile)(language.command, [
          ...language.args,
          'caller',
          String(ports.port),
          'nobody',
          'x',
        ]),
      ).rejects.toThrow(/slow path/)
    const url = `http://127.0.0.1:${ports.http}`
    const statuses = [
      await fetch(`${url}/functions/nobody`, { method: 'POST', body: 'x' }),
      await fetch(`${url}/functions/ts.length`),
      await fetch(`${url}/functions/ts.length`, { method: 'POST', body: 'x'.repeat(2000) }),
      await fetch(`${url}/`, { method: 'POST' }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([404, 405, 413, 404])
  })

  test('two workers of a function share its calls; of one that dies nothing is asked any more', {
    timeout: 240_000,
  }, async () => {
    const other = await FabricWorker.open(
      { 'ts.length': (payload) => Buffer.from(String(payload.length)) },
      { port: ports.port },
    )
    const before = worker.served
    for (let n = 0; n < 10; n++) await caller.call('ts.length', Buffer.from('abc'))
    expect([worker.served - before, other.served]).toEqual([5, 5])
    other.close()
    await sleep(4_000)
    for (let n = 0; n < 10; n++)
      expect((await caller.call('ts.length', Buffer.from('abc'))).toString()).toBe('3')
    expect(worker.served - before).toBe(15)
  })

  test('a function that fails is told to its worker, and its caller hears it in time, also over HTTP', {
    timeout: 240_000,
  }, async () => {
    const errors: unknown[] = []
    const failing = await FabricWorker.open(
      {
        fails: () => {
          throw new Error('no')
        },
      },
      { port: ports.port, onError: (error) => errors.push(error) },
    )
    const url = `http://127.0.0.1:${ports.http}/functions/fails`
    const [response] = await Promise.all([
      fetch(url, { method: 'POST', body: 'x' }),
      expect(caller.call('fails', Buffer.from('x'))).rejects.toThrow('not answered within 10 s'),
    ])
    expect(response.status).toBe(504)
    expect(errors.map((error) => (error as Error).message)).toEqual(expect.arrayContaining(['no', 'no']))
    failing.close()
  })

  test('as many callers are let in as there is memory for; who leaves makes room', async () => {
    const callers: FabricCaller[] = []
    // this one and that of HTTP are there
    for (let n = 0; n < 3; n++) callers.push(await FabricCaller.open({ port: ports.port }))
    await expect(FabricCaller.open({ port: ports.port })).rejects.toThrow('no room for another caller')
    callers[0]?.close()
    await sleep(200)
    callers.push(await FabricCaller.open({ port: ports.port }))
    for (const each of callers) each.close()
    await sleep(200)
  })

  test('of functions that share a row of the match table two find a place, and a third does not', async () => {
    const row = (name: string): number => rowOf(FUNCTIONS, functionId(name))
    const names = Array.from({ length: 2_000 }, (_, n) => `shared-${n}`).filter(
      (name) => row(name) === row('shared-0'),
    )
    const three = names.slice(0, 3)
    expect(three).toHaveLength(3)
    const shared = await FabricWorker.open(
      Object.fromEntries(three.map((name) => [name, () => Buffer.from(name)])),
      { port: ports.port },
    )
    const [one, two, third] = three as [string, string, string]
    expect((await caller.call(one, Buffer.from('x'))).toString()).toBe(one)
    expect((await caller.call(two, Buffer.from('x'))).toString()).toBe(two)
    await expect(caller.call(third, Buffer.from('x'))).rejects.toThrow('no worker has the function')
    expect(hostSaid).toContain(`There is no place for the function '${third}'`)
    shared.close()
  })

  test('junk on every port, and another program that reads the registers, change nothing', {
    timeout: 300_000,
  }, async () => {
    const { ports: fabric } = JSON.parse(await hostSays('{"kind": "caller"}')) as {
      ports: Record<string, number>
    }
    const junk = [
      '',
      'null',
      '[]',
      '{',
      '{"kind":"queen"}',
      '{"kind":"worker","functions":7}',
      ']'.repeat(32),
      '\x5d'.repeat(32),
      '\x5d',
      'x'.repeat(60_000),
    ]
    const socket = createSocket('udp4')
    for (const port of [ports.port, ...Object.values(fabric)])
      for (const text of junk) socket.send(text, port, '127.0.0.1')
    await sleep(300)
    const cli = path.join(root, 'apps/cli/bin/hivemind.mjs')
    await promisify(execFile)(process.execPath, [cli, 'fabric', 'regs', '--board', board], {
      env: { ...process.env, HIVEMIND_FABRIC_DIR: work },
    })
    const late = await FabricWorker.open({ late: (payload) => payload }, { port: ports.port })
    expect((await caller.call('late', Buffer.from('hello'))).toString()).toBe('hello')
    late.close()
    socket.close()
  })

  test('a host that is killed and started anew finds its workers and callers again', {
    timeout: 300_000,
  }, async () => {
    const { port } = ports
    const before = worker.number
    await ended(host, 'SIGKILL')
    await startHost(port)
    await sleep(2_000)
    expect(worker.number).toBe(before)
    for (const [name, answer] of Object.entries(answers))
      expect((await caller.call(name, Buffer.from('hello world'))).toString()).toBe(answer)
  })
})

test('who finds no host says so', async () => {
  await expect(FabricCaller.open({ port: 9 })).rejects.toThrow('No host of a fabric answers')
})
