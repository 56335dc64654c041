/** Serves functions of `code/work.mjs` in this process, and as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FunctionConfig } from '@hivemind/task-runner'
import { FunctionServer, readConfig } from '../src/index.ts'

const dir = fileURLToPath(new URL('code', import.meta.url))
const bin = fileURLToPath(new URL('../bin/hivemind-function-host.mjs', import.meta.url))
const closing: (() => Promise<unknown>)[] = []

/** Ends every server and process that the tests have started. */
export async function closeAll(): Promise<void> {
  await Promise.all(closing.splice(0).map((close) => close()))
}

/** A configuration whose task does `what`. */
export function configOf(what: Record<string, unknown>, more: Partial<FunctionConfig> = {}): FunctionConfig {
  const given = {
    task: 'work',
    workflow: 'patrol',
    runtime: 'node',
    dir,
    code: 'work.mjs',
    args: what,
    dataIn: ['x'],
    dataOut: 'y',
    host: '127.0.0.1',
    ...more,
  }
  return readConfig(JSON.stringify(given), {})
}

/** Serves a function in this process; resolves to its URL and its log. */
export async function serve(what: Record<string, unknown>, more: Partial<FunctionConfig> = {}) {
  const logs: string[] = []
  const server = new FunctionServer(configOf(what, more), {
    onLog: (_, { text }) => void logs.push(text),
    onLoadLog: ({ text }) => void logs.push(text),
    onLeaseEnd: () => {},
  })
  closing.push(() => server.close())
  return { url: `http://127.0.0.1:${await server.start()}/`, server, logs }
}

/** Starts a function as a process; resolves when its first line has come. */
export async function start(
  what: Record<string, unknown>,
  more: Partial<FunctionConfig> = {},
  flags: string[] = [],
) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-function-'))
  const file = path.join(folder, 'config.json')
  writeFileSync(file, JSON.stringify(configOf(what, { readyFile: path.join(folder, 'ready.json'), ...more })))
  const child: ChildProcess = spawn(process.execPath, [bin, '--config', file, ...flags], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  closing.push(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  await Promise.race([ended, until(() => output.includes('\n'))])
  const first = JSON.parse(output.split('\n', 1)[0] || 'null') as {
    port?: number
    pid?: number
    error?: unknown
  } | null
  return {
    child,
    ended,
    first,
    folder,
    url: `http://127.0.0.1:${first?.port}/`,
    output: () => output,
    errors: () => errors,
  }
}

/** Ids of all processes that a process has started, and that those have. */
export function startedBy(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((child) => [child, ...startedBy(child)])
}

/** Waits until `done` holds; throws after 20 s. */
export async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  for (const from = Date.now(); !(await done()); ) {
    if (Date.now() - from > 20_000) throw new Error('It did not happen within 20 s.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Headers of an event in binary mode. */
export const ce = (more: Record<string, string> = {}): Record<string, string> => ({
  'ce-id': 'e-1',
  'ce-source': '/test',
  'ce-specversion': '1.0',
  'ce-type': 'dev.test',
  ...more,
})
