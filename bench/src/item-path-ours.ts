/**
 * CPU of all processes on the way of an item: edge task -> agent's runner -> function host -> cloud task -> sink, which
 * decodes it. Prints JSON. Arguments: items, bytes of each, `raw`, `structured` or `floor`.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { FunctionClient, LocalFunctions } from '@hivemind/deploy'
import { createTaskRunner } from '@hivemind/task-runner'
import { decodeValue, type EncodedValue } from '@hivemind/values'
import { Agent, request } from 'undici'

const [count, bytes] = process.argv.slice(2, 4).map(Number) as [number, number]
const what = process.argv[4]
const WARM_UP = 300
const code = fileURLToPath(new URL('../peers/item-path', import.meta.url))
const TICKS_PER_S = 100

/** CPU of a process in s, from Linux. */
function cpuOf(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S
}

/** The fields of /proc/PID/stat behind the name of the program. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return Number(statOf(pid)[1]) === parent
      } catch {
        return false
      }
    })

function ownCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

async function measured(pids: Record<string, number>, work: () => Promise<void>): Promise<void> {
  const before = Object.entries(pids).map(([name, pid]) => [name, cpuOf(pid)] as const)
  const own = ownCpu()
  await work()
  const parts = Object.fromEntries(before.map(([name, cpu]) => [name, cpuOf(pids[name] as number) - cpu]))
  parts['agent and service'] = ownCpu() - own
  const cpuS = Object.values(parts).reduce((sum, part) => sum + part, 0)
  console.log(JSON.stringify({ cpuS, parts, version: `Node ${process.version}` }))
}

async function path100(): Promise<void> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'hivemind-bench-'))
  const functions = new LocalFunctions({ dir, mode: 'bound' })
  const client = new FunctionClient()
  const args = { bytes, structured: what === 'structured' }
  const camera = (n: number) =>
    createTaskRunner({
      task: 'camera',
      runtime: 'node',
      dir: code,
      code: 'camera.mjs',
      args: { ...args, count: n },
      memoryMB: 512,
    })
  const [warm, edge] = [camera(WARM_UP), camera(count)]
  try {
    const { pid: host } = await functions.start({
      task: 'recognise',
      workflow: 'bench',
      runtime: 'node',
      dir: code,
      code: 'recognise.mjs',
      args: {},
      memoryMB: 512,
      dataIn: ['frame'],
      emits: 'one',
      timeoutMs: 60_000,
      concurrency: 1,
    })
    let received = 0
    const sink = (value: EncodedValue): void => {
      decodeValue(value)
      received += 1
    }
    const send = (value: EncodedValue, seq: number) =>
      client.invoke(
        () => functions.endpoint('recognise'),
        {
          id: String(seq),
          workflow: 'bench',
          task: 'recognise',
          run: 'r',
          lane: 'd',
          index: 0,
          devices: ['d'],
          seq,
          inputs: { frame: { kind: 'one', value } },
        },
        { onItem: (item) => sink(item.value) },
      )
    const place = { run: 'r', task: 'camera', device: 'd', deviceIndex: 0, devices: ['d'], seq: 0 }
    const stream = async (runner: typeof warm): Promise<void> => {
      const onItem = async ({ value }: { value: EncodedValue }, index: number) =>
        void (await send(value, index))
      await runner.invoke({ inputs: {}, context: place, timeoutMs: 600_000, onItem })
    }
    await stream(warm)
    const known = childrenOf(process.pid)
    await edge.warm()
    const task = childrenOf(process.pid).find((pid) => !known.includes(pid)) as number
    const [cloud] = childrenOf(host) as [number]
    received = 0
    await measured({ 'edge task': task, 'function host': host, 'cloud task': cloud }, () => stream(edge))
    if (received !== count) throw new Error(`${received} of ${count} items arrived.`)
  } finally {
    await Promise.all([warm.close(), edge.close(), functions.stopAll()])
    await client.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function floor(): Promise<void> {
  const server = spawn(process.execPath, [path.join(code, 'echo.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const agent = new Agent()
  try {
    const port = await new Promise<string>((resolve) =>
      server.stdout.once('data', (text) => resolve(String(text).trim())),
    )
    const body = Buffer.alloc(bytes, 7)
    const send = async (n: number): Promise<void> => {
      for (let at = 0; at < n; at++) {
        const answer = await request(`http://127.0.0.1:${port}/`, { method: 'POST', body, dispatcher: agent })
        await answer.body.arrayBuffer()
      }
    }
    await send(WARM_UP)
    await measured({ 'HTTP server': server.pid as number }, () => send(count))
  } finally {
    server.stdin.end()
    await agent.destroy()
  }
}

await (what === 'floor' ? floor() : path100())
