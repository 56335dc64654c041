import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createTaskRunner,
  type Invocation,
  type RunnerSpec,
  requireRuntime,
  type TaskError,
  type TaskRunner,
} from './index.ts'

const dir = fileURLToPath(new URL('../test/code', import.meta.url))
const runners: TaskRunner[] = []
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.close()))
})

function runner(
  runtime: RunnerSpec['runtime'],
  code: string,
  args: Record<string, unknown> = {},
  memoryMB = 512,
) {
  const made = createTaskRunner({ task: 'work', runtime, dir, code, args, memoryMB })
  runners.push(made)
  return made
}

const context = { run: 'r', task: 'work', device: 'device-1', deviceIndex: 0, devices: ['device-1'], seq: 0 }

async function collect(made: TaskRunner, more: Partial<Invocation> = {}) {
  const items: unknown[] = []
  const logs: string[] = []
  const result = await made.invoke({
    inputs: { x: { n: 1.5, list: [1, -2, 'ä', null, true], raw: Buffer.from([9, 8]) } },
    context,
    timeoutMs: 30_000,
    onItem: (value) => void items.push(value),
    onLog: (level, text) => void logs.push(`${level} ${text}`),
    ...more,
  })
  return { items, logs, result }
}

const failure = (made: TaskRunner, more: Partial<Invocation> = {}): Promise<TaskError> =>
  reason(collect(made, more))

const reason = (attempt: Promise<unknown>): Promise<TaskError> =>
  attempt.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: TaskError) => error,
  )

describe.each([
  ['node', '.mjs'],
  ['python', '.py'],
] as const)('%s', (runtime, ending) => {
  it('hands values over unchanged, keeps its state while warm, and tells what the task logs', async () => {
    const made = runner(runtime, `ok${ending}`, { speed: 4 })
    const first = await collect(made)
    expect(first.items).toEqual([
      {
        inputs: { x: { n: 1.5, list: [1, -2, 'ä', null, true], raw: Buffer.from([9, 8]) } },
        args: { speed: 4 },
        device: 'device-1',
        bytes: Buffer.from([1, 2, 255]),
        calls: 1,
      },
    ])
    expect(first.logs).toContain('info call 1')
    expect(first.result.startMs).toBeGreaterThan(0)
    expect(first.result.peakMemoryMB).toBeGreaterThan(1)
    const second = await collect(made)
    expect((second.items[0] as { calls: number }).calls).toBe(2)
    expect(second.result.startMs).toBe(0)
  })

  it('emits a stream item by item, and waits for a slow taker', async () => {
    const seen: number[] = []
    let under = 0
    let most = 0
    const { result } = await collect(runner(runtime, `stream${ending}`), {
      onItem: async (value, seq) => {
        most = Math.max(most, ++under)
        await new Promise((resolve) => setTimeout(resolve, 5))
        under -= 1
        seen.push(seq, (value as { i: number }).i)
      },
    })
    expect(seen).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    expect(result.items).toBe(5)
    expect(most).toBe(1)
  })

  it('tells the time in the code apart from the time without a core, and from that of whoever takes its items', async () => {
    const rivals = Array.from({ length: 2 * os.availableParallelism() }, () =>
      runner(runtime, `busy${ending}`, { ms: 200 }),
    )
    await Promise.all(rivals.map((made) => made.warm()))
    const from = performance.now()
    const results = await Promise.all(
      rivals.map((made) =>
        collect(made, { onItem: () => new Promise((resolve) => setTimeout(resolve, 50)) }),
      ),
    )
    const elapsed = performance.now() - from
    for (const { result } of results) {
      expect(result.executionMs).toBeGreaterThan(160)
      expect(result.executionMs + result.waitedMs + result.callMs + result.startMs + 49).toBeLessThan(elapsed)
    }
    // only Linux tells; there, as many again as there are cores had to wait at any time
    const waited = results.reduce((sum, { result }) => sum + result.waitedMs, 0)
    if (existsSync('/proc/self/schedstat')) expect(waited).toBeGreaterThan(50)
    else expect(waited).toBe(0)
  })

  it('tells an exception with the stack of the author’s own code only, and goes on', async () => {
    const made = runner(runtime, `faults${ending}`, { do: 'throw' })
    const error = await failure(made)
    expect(error).toMatchObject({ name: 'TaskError', kind: 'exception' })
    expect(error.message).toContain('no such thing')
    expect(error.detail).toContain(`faults${ending}`)
    expect(error.detail).not.toContain(dir)
    expect((await failure(made)).kind).toBe('exception')
  })

  it.each([
    ['exit', 'crash', /exit code 7/],
    ['map', 'value', /the output\.deep\[0\] is a/],
    ['escape', 'exception', /leaves the project/],
  ])('names what ended it: %s', async (fault, kind, sentence) => {
    const error = await failure(runner(runtime, `faults${ending}`, { do: fault }))
    expect(error.kind).toBe(kind)
    expect(error.message).toMatch(sentence)
  })

  it('stops an endless loop after its time, and starts afresh', async () => {
    const made = runner(runtime, `faults${ending}`, { do: 'loop' })
    const error = await failure(made, { timeoutMs: 300 })
    expect(error).toMatchObject({ kind: 'timeout' })
    expect(error.message).toContain('0.3 s')
    expect((await failure(made, { timeoutMs: 300 })).kind).toBe('timeout')
  })

  it('stops what takes too much memory', async () => {
    const error = await failure(runner(runtime, `faults${ending}`, { do: 'hog' }, 200))
    expect(error.kind).toBe('memory')
    expect(error.message).toContain('200 MB')
  })

  it('stops when it is cancelled', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 400)
    const error = await failure(runner(runtime, `faults${ending}`, { do: 'loop' }), {
      signal: controller.signal,
    })
    expect(error.kind).toBe('cancelled')
  })

  it('says why code cannot be loaded', async () => {
    const error = await failure(runner(runtime, `norun${ending}`))
    expect(error.kind).toBe('load')
    expect(error.message).toMatch(runtime === 'node' ? /exports no function named run/ : /SyntaxError/)
  })

  it('leaves nothing behind when its parent is killed in an endless loop', async () => {
    const scratch = await mkdtemp(path.join(os.tmpdir(), 'hivemind-orphan-'))
    const file = path.join(scratch, 'pid')
    const { spawn } = await import('node:child_process')
    const script = `import { createTaskRunner } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
      const made = createTaskRunner(${JSON.stringify({ task: 'work', runtime, dir, code: `faults${ending}`, args: { do: 'pid-loop', file }, memoryMB: 512 })})
      await made.invoke({ inputs: {}, context: ${JSON.stringify(context)}, timeoutMs: 60000, onItem() {} })`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    try {
      const pid = await until(async () => Number(await readFile(file, 'utf8').catch(() => '')) || undefined)
      parent.kill('SIGKILL')
      await until(async () => (isAlive(pid) ? undefined : true))
    } finally {
      parent.kill('SIGKILL')
      await rm(scratch, { recursive: true, force: true })
    }
  })
})

it('runs a functional unit with a state for each device', async () => {
  const made = runner('nfu', 'nfu:average?window=2')
  const means: unknown[] = []
  for (const [device, x] of [
    ['a', 1],
    ['b', 10],
    ['a', 3],
  ] as const) {
    const { items } = await collect(made, { inputs: { x }, context: { ...context, device } })
    means.push(...items)
  }
  expect(means).toEqual([1, 10, 2])
})

describe.each([
  ['is missing', 'no-such-python', /there is no 'no-such-python' on this machine/],
  ['cannot run', '/bin/false', /'\/bin\/false' ends as soon as it is started \(exit code 1\)/],
])('a Python that %s', (_, program, sentence) => {
  const before = process.env.HIVEMIND_PYTHON
  beforeEach(() => {
    process.env.HIVEMIND_PYTHON = program
  })
  afterEach(() => {
    if (before === undefined) delete process.env.HIVEMIND_PYTHON
    else process.env.HIVEMIND_PYTHON = before
  })

  it('is told of with the task and how to mend it', async () => {
    for (const attempt of [failure(runner('python', 'ok.py')), reason(requireRuntime('work', 'python'))]) {
      const error = await attempt
      expect(error).toMatchObject({ kind: 'load' })
      expect(error.message).toMatch(sentence)
      expect(error.message).toContain("Task 'work'")
      expect(error.message).toContain('apt-get install python3')
    }
  })
})

it('knows that the Python of this machine runs', async () => {
  await requireRuntime('work', 'python')
  await requireRuntime('work', 'node')
})

it('tells code that ends its process while it loads from a Python that cannot run', async () => {
  const error = await failure(runner('python', 'ends.py'))
  expect(error).toMatchObject({ kind: 'crash' })
  expect(error.message).toContain('exit code 5')
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until<T>(probe: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const found = await probe()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('It did not happen within 20 s.')
}
