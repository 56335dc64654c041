/** A real service for one test: its own process group, port and data folder, all gone afterwards. */
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base } from '@playwright/test'
import { killBelow, killGroup } from './processes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Bounds a hang only: on a busy machine a start may well take a minute. */
const START_LIMIT_MS = 300_000
/** A start that takes longer is reported, again and again at this interval. */
const PROGRESS_INTERVAL_MS = 15_000
const POLL_INTERVAL_MS = 100
/** Time to stop after SIGTERM. The service gives up on its own after 8 s. */
const STOP_LIMIT_MS = 30_000

const URL_IN_OUTPUT = /http:\/\/127\.0\.0\.1:\d+\//

export interface Service {
  url: string
  process: ChildProcess
  dataDir: string
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const isHealthy = (url: string): Promise<boolean> =>
  fetch(`${url}api/health`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Waits until the service has printed its address and answers there. Throws when it ends or hangs before. */
async function untilReady(child: ChildProcess): Promise<string> {
  let output = ''
  const keep = (chunk: Buffer): void => {
    output += chunk.toString()
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  const start = Date.now()
  let reportAt = start + PROGRESS_INTERVAL_MS
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The service ended (${child.signalCode ?? `exit code ${child.exitCode}`}):\n${output}`)
    const url = URL_IN_OUTPUT.exec(output)?.[0]
    if (url && (await isHealthy(url))) return url
    const now = Date.now()
    if (now - start > START_LIMIT_MS)
      throw new Error(`The service was not ready after ${START_LIMIT_MS / 1000} s:\n${output}`)
    if (now > reportAt) {
      console.log(`The service is not ready after ${Math.round((now - start) / 1000)} s; still waiting.`)
      reportAt += PROGRESS_INTERVAL_MS
    }
    await wait(POLL_INTERVAL_MS)
  }
}

/** Runs `use` with a service of its own. Whatever happens, no process of the service and no file of it stays. */
async function withService(use: (service: Service) => Promise<void>): Promise<void> {
  const dataDir = await realpath(await mkdtemp(path.join(os.tmpdir(), 'hivemind-e2e-')))
  const child = spawn(process.execPath, ['apps/api/dist/main.js', '--port', '0'], {
    cwd: root,
    env: { ...process.env, HIVEMIND_DATA_DIR: dataDir, DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // It leads a process group: Ctrl-C reaches the tests only, and they stop it with everything it started.
    detached: true,
  })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  const killAll = (): void => {
    killGroup(child.pid)
    killBelow(dataDir)
  }
  // Ctrl-C, or a time limit of the test runner, may end this process without the cleaning up below.
  const onExit = (): void => {
    killAll()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
  process.once('exit', onExit)
  try {
    await use({ url: await untilReady(child), process: child, dataDir })
  } finally {
    child.kill('SIGTERM')
    await Promise.race([ended, wait(STOP_LIMIT_MS)])
    killAll()
    process.off('exit', onExit)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** `service`: one for each test. Browser errors that a page throws fail the test. */
export const test = base.extend<{ service: Service }>({
  service: [
    async ({ page }, use) => {
      const thrown: string[] = []
      page.on('pageerror', (error) => thrown.push(error.message))
      await withService(use)
      if (thrown.length > 0) throw new Error(`The page threw: ${thrown.join('; ')}`)
    },
    { timeout: START_LIMIT_MS + 2 * STOP_LIMIT_MS },
  ],
})

export { expect } from '@playwright/test'
