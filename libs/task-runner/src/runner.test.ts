import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { decodeValue, type EncodedValue, encodeCbor, encodeValue } from '@hivemind/values'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createTaskRunner,
  type Emitted,
  type Invocation,
  type RunnerSpec,
  requireRuntime,
  type TaskError,
  type TaskInput,
  type TaskRunner,
  usableCores,
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
  more: Partial<RunnerSpec> = {},
) {
  const made = createTaskRunner({ task: 'work', runtime, dir, code, args, memoryMB, ...more })
  runners.push(made)
  return made
}

const context = {
  ...{ run: 'r', task: 'work', device: 'device-1', deviceIndex: 0, devices: ['device-1'], seq: 0 },
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
}

const one = (value: unknown): TaskInput => ({ kind: 'one', value: encodeValue(value) })

async function collect(made: TaskRunner, more: Partial<Invocation> = {}) {
  const items: unknown[] = []
  const logs: string[] = []
  const result = await made.invoke({
    inputs: { x: one({ n: 1.5, list: [1, -2, 'ä', null, true], raw: Buffer.from([9, 8]) }) },
    context,
    timeoutMs: 30_000,
    onItem: ({ value }) => void items.push(decodeValue(value)),
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
        trace: context.traceparent,
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

  it('passes long lines on cut, logged or printed, and says so', async () => {
    const made = runner(runtime, `chatty${ending}`)
    const logs: string[] = []
    await collect(made, { onLog: (_level, text) => void logs.push(text) })
    expect(logs).toContain('the end')
    const long = logs.filter((line) => line.startsWith('xxx'))
    expect(long.length).toBeGreaterThanOrEqual(1)
    for (const line of long)
      expect([line.length, line.slice(4_000)]).toEqual([4_028, ' [19,996,000 characters cut]'])
  })

  it('emits a stream item by item, and waits for a slow taker', async () => {
    const seen: number[] = []
    let under = 0
    let most = 0
    const { result } = await collect(runner(runtime, `stream${ending}`), {
      onItem: async ({ value }, seq) => {
        most = Math.max(most, ++under)
        await new Promise((resolve) => setTimeout(resolve, 5))
        under -= 1
        seen.push(seq, (decodeValue(value) as { i: number }).i)
      },
    })
    expect(seen).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    expect(result.items).toBe(5)
    expect(most).toBe(1)
  })

  it('passes inputs of every kind, and says which one cannot be read', async () => {
    const made = runner(runtime, `echo${ending}`)
    const jpeg: EncodedValue = { type: 'image/jpeg', bytes: Buffer.from([255, 216]) }
    const inputs: Record<string, TaskInput> = {
      none: { kind: 'none' },
      json: { kind: 'one', value: { type: 'application/json', bytes: Buffer.from('{"a":["ä",1.5]}') } },
      // lists and maps of indefinite length, as encoders write them that stream
      stream: {
        kind: 'one',
        value: { type: 'application/cbor', bytes: Buffer.from('9f01bf616102ffff', 'hex') },
      },
      many: {
        kind: 'many',
        items: [
          { device: 'device-1', seq: 0, value: jpeg },
          { device: 'device-2', seq: 3, value: encodeValue('x') },
        ],
      },
    }
    expect((await collect(made, { inputs })).items).toEqual([
      {
        none: null,
        json: { a: ['ä', 1.5] },
        stream: [1, { a: 2 }],
        many: [
          { device: 'device-1', seq: 0, value: jpeg.bytes },
          { device: 'device-2', seq: 3, value: 'x' },
        ],
      },
    ])
    for (const [type, text] of [
      ['application/json', '{'],
      ['application/cbor', '\u0083\u0001'],
      ['application/cbor', '\u0001\u0001'],
    ] as const) {
      const value = { type, bytes: Buffer.from(text, 'latin1') }
      const error = await failure(made, { inputs: { look: { kind: 'one', value } } })
      expect(error.kind).toBe('value')
      expect(error.message).toContain(`Task 'work': its input 'look' has ${text.length} byte`)
    }
    expect((await collect(made, { inputs: { x: one(1) } })).items).toEqual([{ x: 1 }])
  })

  it('gives bytes alone the declared type, and no other value', async () => {
    const made = runner(runtime, `echo${ending}`, { only: 'x' }, 512, { outputType: 'image/jpeg' })
    const values: EncodedValue[] = []
    const onItem = ({ value }: Emitted) => void values.push(value)
    const raw = Buffer.from([255, 216])
    await collect(made, { inputs: { x: { kind: 'one', value: { type: 'image/png', bytes: raw } } }, onItem })
    await collect(made, { inputs: { x: one({ raw }) }, onItem })
    expect(values.map(({ type }) => type)).toEqual(['image/jpeg', 'application/cbor'])
    expect(values[0]?.bytes).toEqual(raw)
    const plain = runner(runtime, `echo${ending}`, { only: 'x' })
    await collect(plain, { inputs: { x: one(raw) }, onItem })
    expect(values[2]?.type).toBe('application/octet-stream')
  })

  it('keeps state between invocations and processes', async () => {
    let made = runner(runtime, `state${ending}`)
    let state: Uint8Array | undefined
    const seen: unknown[] = []
    for (const x of [1, 2, 3, 4]) {
      if (x === 3) {
        await made.close()
        made = runner(runtime, `state${ending}`)
      }
      const { items, result } = await collect(made, { inputs: { x: one(x) }, state: state ?? null })
      seen.push(...items)
      expect(result.state).toBeDefined()
      state = result.state
    }
    const last = Buffer.from([4])
    expect(seen).toEqual([
      { sum: 1, whole: {}, last: null },
      { sum: 3, whole: { sum: 1, last: Buffer.from([1]) }, last: Buffer.from([1]) },
      { sum: 6, whole: { sum: 3, last: Buffer.from([2]) }, last: Buffer.from([2]) },
      { sum: 10, whole: { sum: 6, last: Buffer.from([3]) }, last: Buffer.from([3]) },
    ])
    expect(decodeValue({ type: 'application/cbor', bytes: state as Uint8Array })).toEqual({ sum: 10, last })
    // what did not change is not sent
    expect((await collect(runner(runtime, `echo${ending}`), { state })).result.state).toBeUndefined()
  })

  it('keeps one state for each value of a field', async () => {
    const made = runner(runtime, `state${ending}`, {}, 512, { stateField: 'colour' })
    let state: Uint8Array | undefined
    const sums: unknown[] = []
    for (const [colour, x] of [
      ['red', 1],
      ['blue', 10],
      ['red', 2],
      [7, 100],
      ['7', 200],
      ['blue', 20],
      [true, 5],
    ] as const) {
      const inputs = { x: one(x), of: one({ colour }) }
      const { items, result } = await collect(made, { inputs, state: state ?? null })
      sums.push((items[0] as { sum: number }).sum)
      state = result.state
    }
    expect(sums).toEqual([1, 10, 3, 100, 200, 30, 5])
    for (const [value, problem] of [
      [{ size: 1 }, "the field 'colour', which no input of this item has"],
      [{ colour: null }, "the field 'colour', whose value must be a text, a number or a truth value"],
    ] as const) {
      const error = await failure(made, { inputs: { x: one(1), of: one(value) } })
      expect([error.kind, error.message]).toEqual(['value', `Task 'work': its state is kept by ${problem}`])
    }
  })

  it('saves the state of a generator with each item, and goes on from the last', async () => {
    const made = runner(runtime, `counting${ending}`, { upTo: 6 })
    const items: [number, unknown, unknown][] = []
    const read = (bytes: Uint8Array | undefined) => bytes && decodeValue({ type: 'application/cbor', bytes })
    const onItem = ({ value, state }: Emitted, index: number) => {
      items.push([index, decodeValue(value), read(state)])
      if (index === 2 && items.length === 3) throw new Error('the receiver has gone')
    }
    expect((await failure(made, { onItem })).kind).toBe('cancelled')
    const saved = encodeCbor(items[1]?.[2])
    const { result } = await collect(made, { onItem, state: saved, firstIndex: 2 })
    expect(items).toEqual([
      [0, 0, { next: 1 }],
      [1, 1, { next: 2 }],
      [2, 2, { next: 3 }],
      [2, 2, { next: 3 }],
      [3, 3, { next: 4 }],
      [4, 4, { next: 5 }],
      [5, 5, { next: 6 }],
    ])
    expect(result.items).toBe(4)
    expect(read(result.state)).toEqual({ next: 'end' })
  })

  it('refuses a state that is too large, cannot be kept, or is not declared', async () => {
    const large = await failure(runner(runtime, `state${ending}`, { fill: 1_000_000 }))
    expect(large.kind).toBe('value')
    expect(large.message).toMatch(/^Task 'work': its state has 100\d{4} bytes; a task may keep at most 1 MB/)
    const strange = await failure(runner(runtime, `state${ending}`, { strange: true }))
    expect(strange.kind).toBe('exception')
    expect(strange.message).toMatch(/the state 'odd' is a/)
    expect(strange.detail).toContain(`state${ending}`)
    const none = await failure(runner(runtime, `state${ending}`, {}, 512, { stateful: false }))
    expect(none.message).toContain("give it state='device'")
  })

  it('takes a result apart by device where it is one of devices', async () => {
    const made = runner(runtime, `echo${ending}`, { only: 'x' }, 512, { outputType: 'image/png' })
    const partsOf = async (value: unknown, scatterTo?: string[]) => {
      const all: Emitted[] = []
      await collect(made, {
        inputs: { x: one(value) },
        ...(scatterTo && { scatterTo }),
        onItem: (item) => void all.push(item),
      })
      const [{ parts, value: whole }] = all as [Emitted]
      expect(decodeValue(whole)).toEqual(value)
      return parts && Object.entries(parts).map(([device, part]) => [device, part.type, decodeValue(part)])
    }
    const raw = Buffer.from([1])
    expect(await partsOf({ a: { go: 1 }, b: raw }, ['a', 'b', 'c'])).toEqual([
      ['a', 'application/cbor', { go: 1 }],
      ['b', 'image/png', raw],
    ])
    expect(await partsOf({ a: 1, d: 2 }, ['a', 'b'])).toBeUndefined()
    expect(await partsOf([1], ['0'])).toBeUndefined()
    expect(await partsOf('a', ['a'])).toBeUndefined()
    expect(await partsOf({ a: 1 })).toBeUndefined()
    expect(await partsOf({}, ['a'])).toEqual([])
  })

  it('asks for items at the pace of the sensor, whose wait is no time of the code', async () => {
    const made = runner(runtime, `stream${ending}`)
    await made.warm()
    const times: number[] = []
    const { result } = await collect(made, {
      paceMs: 150,
      timeoutMs: 500,
      onItem: () => void times.push(performance.now()),
    })
    expect(times).toHaveLength(5)
    // However busy the machine is, none comes before its time; a timer may be a millisecond early.
    const early = times.map((at, index) => (times[0] as number) + index * 150 - at)
    expect(Math.max(...early)).toBeLessThan(2)
    const ownMs = result.executionMs + result.callMs
    expect(result.pacedMs + ownMs).toBeGreaterThan(4 * 150 - 60)
    expect(ownMs).toBeLessThan(300)
  })

  it('passes on the decisions that code reports', async () => {
    const decisions: unknown[] = []
    const made = runner(runtime, `decides${ending}`)
    const { result } = await collect(made, { onDecision: (value) => void decisions.push(decodeValue(value)) })
    expect(decisions).toEqual([{ turn: 'left' }, Buffer.from([1, 2])])
    expect(result.decisions).toBe(2)
    expect((await collect(made)).result.decisions).toBe(2)
  })

  it.runIf(existsSync('/proc/self/status'))('binds its process to the cores it is given', async () => {
    const [core = 0] = usableCores()
    const [file] = (await collect(runner(runtime, `cores${ending}`, {}, 512, { cores: [core] }))).items as [
      string,
    ]
    expect(/Cpus_allowed_list:\s*(\S+)/.exec(file)?.[1]).toBe(String(core))
    // a core that is not there is no reason to fail
    expect(
      (await collect(runner(runtime, `cores${ending}`, {}, 512, { cores: [4_000] }))).items,
    ).toHaveLength(1)
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

  it.each(['auto', 'off'])(
    'leaves nothing behind when its parent is killed in an endless loop, sandbox %s',
    async (sandbox) => {
      const script = `import { createTaskRunner } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
      const made = createTaskRunner(${JSON.stringify({ task: 'work', runtime, dir, code: `faults${ending}`, args: { do: 'report-and-loop' }, memoryMB: 512 })})
      const onLog = (_, text) => console.log(text)
      await made.invoke({ inputs: {}, context: ${JSON.stringify(context)}, timeoutMs: 60000, onItem() {}, onLog })`
      const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, HIVEMIND_SANDBOX: sandbox },
      })
      try {
        await once(parent.stdout, 'data')
        const pids = descendants(parent.pid ?? 0)
        expect(pids.length).toBeGreaterThan(0)
        parent.kill('SIGKILL')
        await until(async () => (pids.some(isAlive) ? undefined : true))
      } finally {
        parent.kill('SIGKILL')
      }
    },
  )
})

it('runs a functional unit on the state of its device', async () => {
  const made = runner('nfu', 'nfu:average?window=2')
  const states = new Map<string, Uint8Array>()
  const means: unknown[] = []
  for (const [device, x] of [
    ['a', 1],
    ['b', 10],
    ['a', 3],
    ['b', 20],
    ['b', 30],
  ] as const) {
    const { items, result } = await collect(made, {
      inputs: { x: one(x) },
      context: { ...context, device },
      state: states.get(device) ?? null,
    })
    means.push(...items)
    if (result.state) states.set(device, result.state)
  }
  expect(means).toEqual([2, 15])
})

it('lets a functional unit filter, and gives the last result over what a barrier collects', async () => {
  expect((await collect(runner('nfu', 'nfu:filter?above=3'), { inputs: { x: one(2) } })).items).toEqual([])
  const items = [1, 2, 6].map((n, seq) => ({ device: 'a', seq, value: encodeValue(n) }))
  const behind = await collect(runner('nfu', 'nfu:average'), {
    inputs: { x: { kind: 'many', items } },
    context: { ...context, device: '*', deviceIndex: -1 },
  })
  expect(behind.items).toEqual([3])
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

/** All processes that a process has started, and those that they have. */
function descendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((child) => [child, ...descendants(child)])
}

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

it('a functional unit looks back on the values of its own field', async () => {
  const made = runner('nfu', 'nfu:average?window=2&field=heat', {}, 512, { stateField: 'room' })
  let state: Uint8Array | undefined
  const means: unknown[] = []
  for (const [room, heat] of [
    ['hall', 10],
    ['attic', 30],
    ['hall', 20],
    ['attic', 50],
  ] as const) {
    const { items, result } = await collect(made, {
      inputs: { x: one({ room, heat }) },
      state: state ?? null,
    })
    means.push(...items)
    state = result.state
  }
  expect(means).toEqual([15, 40])
})
