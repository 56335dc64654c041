/** Runs the real command as a child, as a person or a script would. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const bin = path.join(root, 'apps/cli/bin/hivemind.mjs')
const LIMIT_MS = 120_000
const running = new Set<Running>()

export const helloSwarm = path.join(root, 'examples/hello-swarm')

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export interface Running {
  pid: number
  /** What it has said so far on standard error. */
  said: () => string
  kill: (signal: NodeJS.Signals) => void
  outcome: Promise<Outcome>
}

/** Starts `hivemind ARGS`; it is killed after two minutes. */
export function start(args: string[], env: Record<string, string> = {}, cwd = root): Running {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
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
    kill: (signal) => void child.kill(signal),
    outcome,
  }
  running.add(started)
  return started
}

/** Ends what a test that failed has left behind. */
export function killRunning(): void {
  for (const { kill } of running) kill('SIGKILL')
}

export function hivemind(...args: string[]): Promise<Outcome> {
  return start(args).outcome
}

/** A folder for one test and, in it, a copy of the first example. */
export async function scratchProject(): Promise<{
  folder: string
  project: string
  remove: () => Promise<void>
}> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-cli-'))
  const project = path.join(folder, 'hello-swarm')
  await cp(helloSwarm, project, { recursive: true })
  return { folder, project, remove: () => rm(folder, { recursive: true, force: true }) }
}
