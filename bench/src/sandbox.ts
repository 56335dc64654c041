/** What the sandbox of task code costs, and how the service answers others while task code attacks. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createTaskRunner, type Invocation, type RunnerSpec } from '@hivemind/task-runner'
import { encodeValue } from '@hivemind/values'
import type { Bench, Row } from './table.ts'

const STARTS = 20
const WARM_UP_CALLS = 300
const CALLS = 3_000
const LATENCY_S = 15
const REQUEST_EVERY_MS = 10
const ATTACKERS = ['many processes', 'memory in many children', 'the disk', 'a daemon', 'busy']

const at = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const { serviceEnvironment, serviceOptions } = (await import(at('scripts/lib/service-process.mjs'))) as {
  serviceEnvironment: NodeJS.ProcessEnv
  serviceOptions: string[]
}
const attackCode = at('libs/task-runner/test/code')
const serviceProgram = at('apps/api/dist/main.js')

type Runtime = 'node' | 'python'

const CODE: Record<Runtime, [file: string, text: string]> = {
  node: ['echo.mjs', 'export const run = ({ x }) => x\n'],
  python: ['echo.py', "def run(inputs, args, context):\n    return inputs['x']\n"],
}

const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))] ?? Number.NaN

function specOf(runtime: Runtime, dir: string): RunnerSpec {
  const [code, text] = CODE[runtime]
  writeFileSync(path.join(dir, code), text)
  return { task: 'echo', runtime, dir, code, args: {}, memoryMB: 512 }
}

const invocation = (x: unknown): Invocation => ({
  inputs: { x: { kind: 'one', value: encodeValue(x) } },
  context: { run: 'r', task: 'echo', device: '*', deviceIndex: -1, devices: [], seq: 0 },
  timeoutMs: 20_000,
  onItem() {},
})

/** Starts and calls with and without the sandbox, in turns, so that both meet the same load of the machine. */
async function costs(runtime: Runtime): Promise<Row[]> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'hivemind-bench-sandbox-'))
  const spec = specOf(runtime, dir)
  const modes = ['auto', 'off'] as const
  const starts: Record<string, number[]> = { auto: [], off: [] }
  const calls: Record<string, number[]> = { auto: [], off: [] }
  const cpu: Record<string, number> = { auto: 0, off: 0 }
  try {
    const runners = []
    for (let n = 0; n <= STARTS; n++)
      for (const mode of modes) {
        process.env.HIVEMIND_SANDBOX = mode
        const runner = createTaskRunner(spec)
        const from = performance.now()
        await runner.warm()
        // the first one also looks at the machine, once in the life of a host
        if (n > 0) starts[mode]?.push(performance.now() - from)
        if (n === STARTS) runners.push({ mode, runner })
        else await runner.close()
      }
    for (const { runner } of runners)
      for (let n = 0; n < WARM_UP_CALLS; n++) await runner.invoke(invocation(n))
    for (let n = 0; n < CALLS; n++)
      for (const { mode, runner } of n % 2 === 0 ? runners : runners.toReversed()) {
        const before = process.cpuUsage()
        const from = performance.now()
        await runner.invoke(invocation(n))
        calls[mode]?.push(performance.now() - from)
        const { user, system } = process.cpuUsage(before)
        cpu[mode] = (cpu[mode] ?? 0) + (user + system) / 1e6
      }
    await Promise.all(runners.map(({ runner }) => runner.close()))
  } finally {
    delete process.env.HIVEMIND_SANDBOX
    rmSync(dir, { recursive: true })
  }
  return modes.map((mode) => ({
    name: `${runtime}, ${mode === 'auto' ? 'in the sandbox' : 'without it'}`,
    cpuS: cpu[mode] ?? Number.NaN,
    figures: {
      'start, ms (median)': quantile(starts[mode] ?? [], 0.5).toFixed(0),
      'start, ms (90 %)': quantile(starts[mode] ?? [], 0.9).toFixed(0),
      'call, us (median)': (quantile(calls[mode] ?? [], 0.5) * 1000).toFixed(0),
      'call, us (90 %)': (quantile(calls[mode] ?? [], 0.9) * 1000).toFixed(0),
    },
  }))
}

async function attackUntil(over: AbortSignal, attack: string): Promise<void> {
  while (!over.aborted) {
    const busy = attack === 'busy'
    const runner = createTaskRunner({
      task: 'attack',
      runtime: 'node',
      dir: attackCode,
      code: busy ? 'faults.mjs' : 'attacks.mjs',
      args: { do: 'loop' },
      memoryMB: 200,
    })
    const call = { ...invocation({ attack, mark: `hivemind-bench-${process.pid}` }), signal: over }
    await runner.invoke(call).catch(() => {})
    await runner.close()
  }
}

/** Latencies of requests that come every 10 ms whatever the answers take, in ms. */
async function latencies(url: string): Promise<number[]> {
  const waiting: Promise<number>[] = []
  const from = performance.now()
  for (let n = 0; n < (LATENCY_S * 1000) / REQUEST_EVERY_MS; n++) {
    await pause(Math.max(0, from + n * REQUEST_EVERY_MS - performance.now()))
    const asked = performance.now()
    waiting.push(
      fetch(`${url}api/projects`).then(async (answer) => {
        await answer.arrayBuffer()
        return performance.now() - asked
      }),
    )
  }
  return Promise.all(waiting)
}

async function serviceUnderAttack(): Promise<Row[]> {
  const name = 'requests to the service'
  const nothing = { cpuS: Number.NaN }
  if (!existsSync(serviceProgram))
    return [{ ...nothing, name, figures: { 'p99, ms': 'not built: npm start builds it' } }]
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'hivemind-bench-service-'))
  const service = spawn(
    process.execPath,
    [...serviceOptions, serviceProgram, '--port', '0', '--data-dir', dataDir],
    {
      env: { ...process.env, ...serviceEnvironment },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  try {
    const url = await urlOf(service)
    const row = (how: string, all: number[]): Row => ({
      ...nothing,
      name: `${name}, ${how}`,
      figures: { 'p50, ms': quantile(all, 0.5).toFixed(1), 'p99, ms': quantile(all, 0.99).toFixed(1) },
    })
    const alone = row('nothing else', await latencies(url))
    const over = new AbortController()
    const attacks = ATTACKERS.map((attack) => attackUntil(over.signal, attack))
    const attacked = row(`while ${ATTACKERS.length} tasks attack`, await latencies(url))
    over.abort()
    await Promise.all(attacks)
    return [alone, attacked]
  } finally {
    service.kill('SIGKILL')
    await new Promise((resolve) => service.once('close', resolve))
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function urlOf(service: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    service.once('close', () => reject(new Error('The service of the bench has ended.')))
    service.stdout?.on('data', (chunk: Buffer) => {
      said += chunk
      const url = /ready at (\S+)/.exec(said)?.[1]
      if (url) resolve(url)
    })
  })
}

/** The cost of the sandbox, and the service's answers meanwhile. */
export const sandbox: Bench = {
  name: 'sandbox',
  title: `the sandbox of task code: ${STARTS} starts, ${CALLS} calls that return their input, ${LATENCY_S} s of requests each ${REQUEST_EVERY_MS} ms`,
  async run() {
    return [...(await costs('node')), ...(await costs('python')), ...(await serviceUnderAttack())]
  },
}
