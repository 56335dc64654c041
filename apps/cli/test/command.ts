/** Runs the real command as a child, as a person or a script would. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const bin = path.join(root, 'apps/cli/bin/hivemind.mjs')
/** Bounds a hang only: on a busy machine a command may well take a minute. */
const LIMIT_MS = 300_000
const running = new Set<Running>()

export const helloSwarm = path.join(root, 'examples/hello-swarm')

/** A workflow of two tasks, for files of its own. */
export const small = `TaskGraph(list=['sense', 'sum'])
Task(sense, None, reading, 'tasks/sense.mjs', childTask=['sum'])
Task(sum, reading, total, 'tasks/sum.mjs', parentTask=['sense'], sync='all')
`

/** The exit codes that `hivemind --help` promises. */
export const exit = { fine: 0, workflow: 1, usage: 2, other: 3 }

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export interface Running {
  pid: number
  /** Its standard error so far. */
  said: () => string
  /** Its standard output so far. */
  printed: () => string
  /** Sends the signal to the command alone. */
  kill: (signal: NodeJS.Signals) => void
  /** Kills the command and every process of its group. */
  killAll: () => void
  outcome: Promise<Outcome>
}

/** Starts `hivemind ARGS` as the leader of a process group, which is killed after five minutes. */
export function start(args: string[], env: Record<string, string> = {}, cwd = root): Running {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const late = setTimeout(() => killGroup(child.pid), LIMIT_MS)
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(late)
      running.delete(started)
      resolve({ code, stdout, stderr })
    })
  })
  const started: Running = {
    pid: child.pid ?? 0,
    said: () => stderr,
    printed: () => stdout,
    kill: (signal) => void child.kill(signal),
    killAll: () => killGroup(child.pid),
    outcome,
  }
  running.add(started)
  return started
}

/** Kills what a failed test has left behind. Also runs when this process exits, as on Ctrl-C. */
export function killRunning(): void {
  for (const { killAll } of running) killAll()
}
process.once('exit', killRunning)

function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

export function hivemind(...args: string[]): Promise<Outcome> {
  return start(args).outcome
}

/** What a command prints with `--json`, once it has ended as expected and without a trace of the stack. */
export function json<T>({ stdout, stderr, code }: Outcome, expected = exit.fine): T {
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(code).toBe(expected)
  return JSON.parse(stdout) as T
}

/** Writes a file into the scratch folder, with the folders above it, and gives its path. */
export type Write = (name: string, text: string | Uint8Array) => Promise<string>

/** A folder for one test and, in it, a copy of the first example. */
export async function scratchProject(): Promise<{
  folder: string
  project: string
  write: Write
  remove: () => Promise<void>
}> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-cli-'))
  const project = path.join(folder, 'hello-swarm')
  await cp(helloSwarm, project, { recursive: true })
  const write: Write = async (name, text) => {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
    return file
  }
  return { folder, project, write, remove: () => rm(folder, { recursive: true, force: true }) }
}
