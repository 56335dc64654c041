/** Functions as processes of this machine, and calls to them. */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FunctionLog, TaskInput } from '@hivemind/task-runner'
import {
  FunctionProcess,
  type FunctionRecord,
  LocalFunctions,
  type LocalFunctionsOptions,
  LogFile,
  type ProcessStatus,
} from '@hivemind/task-runner/functions'
import { decodeValue, encodeValue } from '@hivemind/values'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FunctionClient, type FunctionRequest } from '../../src/functions/client.ts'
import { until } from '../processes.ts'
import { functionSpec } from './spec.ts'

const fixtures = fileURLToPath(new URL('./', import.meta.url))
let folder: string
let code: string
let client: FunctionClient
const supervised: LocalFunctions[] = []
const parents: ChildProcess[] = []

// Task code says which host it has by the id of its parent, which it does not see from a sandbox.
beforeEach(() => {
  vi.stubEnv('HIVEMIND_SANDBOX', 'off')
  folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-functions-'))
  code = path.join(folder, 'code')
  mkdirSync(code)
  copyFileSync(path.join(fixtures, 'work.mjs'), path.join(code, 'work.mjs'))
  client = new FunctionClient()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const parent of parents.splice(0)) parent.kill('SIGKILL')
  await Promise.all(supervised.splice(0).map((functions) => functions.stopAll()))
  await client.close()
  await until(() => hosts().length === 0, 'every function has ended')
  rmSync(folder, { recursive: true, force: true })
})

/** Ids of the function hosts and task processes that this test has started. */
function hosts(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)
      } catch {
        return false
      }
    })
    .map(Number)
}

function supervise(more: Partial<LocalFunctionsOptions> = {}) {
  const statuses: ProcessStatus[] = []
  const functions = new LocalFunctions({
    dir: path.join(folder, 'logs'),
    mode: 'bound',
    onStatus: (status) => void statuses.push(status),
    ...more,
  })
  supervised.push(functions)
  return { functions, statuses }
}

const one = (value: unknown): TaskInput => ({ kind: 'one', value: encodeValue(value) })
let calls = 0

async function call(
  functions: LocalFunctions,
  task: string,
  x: unknown,
  more: Partial<FunctionRequest> = {},
  signal?: AbortSignal,
) {
  const items: unknown[] = []
  const logs: FunctionLog[] = []
  calls += 1
  const place = {
    run: 'r',
    lane: 'device-1',
    index: 0,
    devices: ['device-1', 'device-2'],
    seq: 0,
    attempt: 1,
  }
  const answer = await client.invoke(
    () => functions.endpoint(task),
    { id: `call-${calls}`, workflow: 'patrol', task, ...place, inputs: { x: one(x) }, ...more },
    {
      onItem: ({ value }, index) => {
        items[index] = decodeValue(value)
      },
      onLog: (log) => void logs.push(log),
      ...(signal && { signal }),
    },
  )
  return { items, logs, answer }
}

type Echo = { x: unknown; version: number; host: number; devices: number }
const echo = async (functions: LocalFunctions, x: unknown): Promise<Echo> =>
  (await call(functions, 'work', x)).items[0] as Echo

describe('a call', () => {
  it('brings the item, the logs and how it went', async () => {
    const { functions } = supervise()
    await functions.start(functionSpec('work', code))
    const { items, logs, answer } = await call(
      functions,
      'work',
      { n: 'ä' },
      { lane: 'Gerät, 2', devices: ['a,b', 'Gerät, 2'], index: 1 },
    )
    expect(items).toMatchObject([{ x: { n: 'ä' }, device: 'Gerät, 2', devices: 2 }])
    expect(logs).toEqual([{ level: 'info', text: 'works on {"n":"ä"}' }])
    expect(answer).toMatchObject({ items: 1, worker: 'work-1' })
    expect(answer.bytesOut).toBeGreaterThan(10)
    // an item alone, whose data is the value itself
    const many = Array.from({ length: 1_000 }, (_, n) => `device-${n}`)
    expect((await call(functions, 'work', null, { devices: many })).items).toMatchObject([
      { x: null, devices: 1_000 },
    ])
  })

  it('hands state on, and streams', async () => {
    const { functions } = supervise()
    await functions.start(functionSpec('sum', code, { sum: true }))
    await functions.start(functionSpec('items', code, { count: 3 }, { emits: 'many' }))
    let state: Uint8Array | null = null
    const sums: unknown[] = []
    for (const x of [1, 2, 3]) {
      const { items, answer } = await call(functions, 'sum', x, { state, key: 'device-1' })
      sums.push(...items)
      state = answer.state ?? null
    }
    expect(sums).toEqual([1, 3, 6])
    const { items, answer, logs } = await call(functions, 'items', 0)
    expect(items).toMatchObject([{ n: 0 }, { n: 1 }, { n: 2 }])
    expect([answer.items, logs.length]).toEqual([3, 1])
  })

  it('fails as the task does, with its logs, and can be cancelled', async () => {
    const { functions } = supervise()
    await functions.start(functionSpec('bad', code, { throw: true }))
    await functions.start(functionSpec('stream', code, { throw: true }, { emits: 'many' }))
    await functions.start(functionSpec('slow', code, { ms: 60_000 }))
    for (const task of ['bad', 'stream'])
      await expect(call(functions, task, 1)).rejects.toMatchObject({
        name: 'WorkFailure',
        kind: 'exception',
        message: `Task '${task}': RangeError: no such thing`,
        detail: expect.stringContaining('work.mjs'),
      })
    await expect(call(functions, 'slow', 1, {}, AbortSignal.timeout(300))).rejects.toMatchObject({
      kind: 'cancelled',
    })
    await expect(call(functions, 'slow', 1, { timeoutMs: 200 })).rejects.toMatchObject({ kind: 'timeout' })
    await expect(call(functions, 'unknown', 1)).rejects.toMatchObject({
      name: 'WorkFailure',
      message: "The function 'unknown' does not run.",
    })
  })
})

describe('local functions', () => {
  it('say why code cannot be loaded, and leave nothing behind', async () => {
    const { functions } = supervise()
    writeFileSync(path.join(code, 'broken'), '')
    await expect(functions.start(functionSpec('work', code))).rejects.toMatchObject({
      name: 'TaskError',
      kind: 'load',
      message: expect.stringContaining('it is broken today'),
    })
    expect([functions.statuses(), functions.records()]).toEqual([[], []])
    await until(() => hosts().length === 0, 'the process has ended')
  })

  it('keep what runs when its successor cannot start', async () => {
    const { functions } = supervise()
    const record = await functions.start(functionSpec('work', code))
    await expect(functions.start(functionSpec('work', code, {}, { code: 'missing.mjs' }))).rejects.toThrow(
      'missing.mjs',
    )
    expect(functions.records()).toEqual([record])
    expect((await echo(functions, 1)).host).toBe(record.pid)
  })

  it('replace exactly one without a call that fails', async () => {
    const { functions } = supervise()
    const other = await functions.start(functionSpec('other', code))
    const first = await functions.start(functionSpec('work', code, { ms: 30 }))
    expect(await functions.start(functionSpec('work', code, { ms: 30 }))).toEqual(first)
    const answers: Promise<Echo>[] = []
    const probe = setInterval(() => answers.push(echo(functions, answers.length)), 20)
    try {
      await until(() => answers.length > 5, 'the probe runs')
      const second = await functions.start(functionSpec('work', code, { ms: 30, version: 2 }))
      const count = answers.length
      await until(() => answers.length > count + 20, 'the probe goes on')
      clearInterval(probe)
      const all = await Promise.all(answers)
      expect(all.map(({ x }) => x)).toEqual(all.map((_, index) => index))
      expect(new Set(all.map(({ version }) => version))).toEqual(new Set([1, 2]))
      expect(all.at(-1)?.host).toBe(second.pid)
      await until(() => !existsSync(`/proc/${first.pid}`), 'the old one has ended')
      expect(functions.records().map(({ pid }) => pid)).toEqual([other.pid, second.pid])
    } finally {
      clearInterval(probe)
    }
  })

  it('restart what ends by itself, and give up what cannot', async () => {
    const { functions, statuses } = supervise()
    const record = await functions.start(functionSpec('work', code))
    process.kill(record.pid, 'SIGKILL')
    await until(() => statuses.some(({ state }) => state === 'restarting'), 'its end is seen')
    const after = await echo(functions, 1)
    expect(after.host).not.toBe(record.pid)
    expect(statuses.map(({ state }) => state)).toEqual(['starting', 'ready', 'restarting', 'ready'])
    expect(statuses[2]?.message).toBe("The function 'work' ended by itself (signal SIGKILL).")
    writeFileSync(path.join(code, 'broken'), '')
    process.kill(after.host, 'SIGKILL')
    await until(() => statuses.at(-1)?.state === 'failed', 'it is given up', 60_000)
    expect(statuses.at(-1)?.message).toMatch(/it is broken today.*started 6 times in vain/s)
    await expect(functions.endpoint('work')).rejects.toThrow('it is broken today')
  }, 90_000)

  it('keep the last lines of each, and its memory', async () => {
    const lines: string[] = []
    const { functions } = supervise({ onLog: (task, { text }) => void lines.push(`${task} ${text}`) })
    await functions.start(functionSpec('work', code))
    await call(functions, 'work', 5)
    await until(() => functions.logs('work').length > 0, 'the line arrives')
    expect(functions.logs('work')).toMatchObject([
      { level: 'info', text: 'works on 5', run: 'r', device: 'device-1', seq: 0 },
    ])
    expect(lines).toEqual(['work works on 5'])
    expect((await functions.health('work'))?.memoryMB).toBeGreaterThan(20)
    expect(await functions.health('unknown')).toBe(null)
  })

  it('end with their parent when they are bound to it, however it ends', async () => {
    const [record] = await parent('bound')
    expect(existsSync(`/proc/${record?.pid}`)).toBe(true)
    parents[0]?.kill('SIGKILL')
    await until(() => hosts().length === 0, 'the function has ended')
  })

  it('ask for the token of their deployment, which is in no command line and no environment', async () => {
    const { functions } = supervise()
    await functions.start(functionSpec('work', code))
    const { url, token = '' } = await functions.endpoint('work')
    expect(token.length).toBeGreaterThan(20)
    const calls = [{}, { authorization: 'Bearer wrong' }]
    for (const headers of calls)
      expect((await fetch(url, { method: 'POST', body: '{}', headers })).status).toBe(401)
    for (const file of hosts().flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]))
      expect(readFileSync(file, 'utf8')).not.toContain(token)
  })

  it('run on without their parent, are found again, and end with their lease', async () => {
    const [record] = (await parent('detached')) as [FunctionRecord]
    parents[0]?.kill('SIGKILL')
    const { functions, statuses } = supervise({ mode: 'detached', leaseSeconds: 2 })
    const strangers = [
      { ...record, task: 'a', token: 'wrong' },
      { ...record, task: 'b', pid: process.pid },
      { ...record, task: 'c', configHash: 'other' },
      { ...record, task: 'd', port: 1 },
    ]
    expect(await functions.attach([...strangers, record])).toEqual(['a', 'b', 'c', 'd'])
    expect((await echo(functions, 1)).host).toBe(record.pid)
    // held for longer than the lease
    await new Promise((resolve) => setTimeout(resolve, 3_500))
    expect((await echo(functions, 2)).host).toBe(record.pid)
    // started again like one of our own
    process.kill(record.pid, 'SIGKILL')
    await until(() => statuses.some(({ state }) => state === 'restarting'), 'its end is seen')
    expect((await echo(functions, 3)).host).not.toBe(record.pid)
    const [now] = functions.records()
    await functions.close()
    expect(existsSync(`/proc/${now?.pid}`)).toBe(true)
    await until(() => hosts().length === 0, 'the lease has ended')
  }, 60_000)

  it('end when they are stopped, after their work', async () => {
    const { functions } = supervise({ mode: 'detached' })
    await functions.start(functionSpec('work', code, { ms: 500 }))
    const last = echo(functions, 'last')
    await new Promise((resolve) => setTimeout(resolve, 200))
    await functions.stop('work')
    expect((await last).x).toBe('last')
    expect(hosts()).toEqual([])
    const { functions: hurried } = supervise({ graceMs: 300 })
    const record = await hurried.start(functionSpec('work', code, { ms: 60_000 }))
    const broken = expect(echo(hurried, 1)).rejects.toMatchObject({ name: 'WorkFailure', kind: 'crash' })
    await new Promise((resolve) => setTimeout(resolve, 300))
    await hurried.stop('work')
    await broken
    expect(existsSync(`/proc/${record.pid}`)).toBe(false)
  })

  it('can be cancelled while they start', async () => {
    const { functions } = supervise()
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 100)
    await expect(functions.start(functionSpec('work', code), controller.signal)).rejects.toMatchObject({
      kind: 'cancelled',
    })
    await until(() => hosts().length === 0, 'the process has ended')
  })
})

describe('a record', () => {
  it('of a process id that another process has now does no harm to it', async () => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { cwd: folder })
    parents.push(stranger)
    const configFile = path.join(folder, 'gone.json')
    const record: FunctionRecord = {
      task: 'work',
      pid: stranger.pid ?? 0,
      port: 1,
      token: 't',
      configHash: 'h',
      configFile,
      logFile: '',
    }
    expect(await FunctionProcess.attach(record)).toBe(null)
    expect(existsSync(`/proc/${stranger.pid}`)).toBe(true)
  })
})

describe('the file of a log', () => {
  it('keeps the last lines, and is set aside when it grows large', async () => {
    const file = path.join(folder, 'long.log')
    const log = new LogFile(file, 3)
    try {
      writeFileSync(file, '{"port":1,"pid":2}\n{"at":1,"level":"info","text":"a"}\nplain\nhalf', {
        flag: 'a',
      })
      expect(log.lines()).toMatchObject([
        { at: 1, level: 'info', text: 'a' },
        { level: 'warn', text: 'plain' },
      ])
      writeFileSync(file, ' done\nx\ny\n', { flag: 'a' })
      expect(log.lines().map(({ text }) => text)).toEqual(['half done', 'x', 'y'])
      writeFileSync(file, `${'z'.repeat(99)}\n`.repeat(41_000), { flag: 'a' })
      log.read()
      await until(() => existsSync(`${file}.1`), 'it is set aside')
      await until(() => !log.lines().some(({ text }) => text === 'y'), 'what follows is read')
      await new Promise((resolve) => setTimeout(resolve, 100))
      writeFileSync(file, 'after\n', { flag: 'a' })
      expect(log.lines().at(-1)?.text).toBe('after')
    } finally {
      log.close()
    }
  })
})

/** Starts a supervisor as a process of its own; resolves to its records. */
async function parent(mode: 'bound' | 'detached'): Promise<FunctionRecord[]> {
  const child = spawn(
    process.execPath,
    [path.join(fixtures, 'supervisor.ts'), code, path.join(folder, 'logs'), mode],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  parents.push(child)
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await until(() => output.includes('\n'), 'the functions are ready', 60_000)
  return JSON.parse(output)
}
