/** A real service for one test: its own process, port and data folder, all gone afterwards. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base } from '@playwright/test'

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })
}

export interface Service {
  url: string
  process: ChildProcess
  dataDir: string
}

async function startService(): Promise<Service> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'hivemind-e2e-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const child = spawn(process.execPath, ['apps/api/dist/main.js', '--port', String(port)], {
    cwd: root,
    env: { ...process.env, HIVEMIND_DATA_DIR: dataDir, DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString()
      if (said.includes('is ready at')) resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.on('exit', (code) => reject(new Error(`The service ended with code ${code}:\n${said}`)))
    setTimeout(() => reject(new Error(`The service was not ready after 60 s:\n${said}`)), 60_000).unref()
  })
  return { url, process: child, dataDir }
}

async function stopService(service: Service): Promise<void> {
  const ended = new Promise((resolve) => service.process.once('exit', resolve))
  service.process.kill('SIGTERM')
  const late = setTimeout(() => service.process.kill('SIGKILL'), 15_000)
  await ended
  clearTimeout(late)
  await rm(service.dataDir, { recursive: true, force: true })
}

/** `service`: one for each test. Browser errors that a page throws fail the test. */
export const test = base.extend<{ service: Service }>({
  service: async ({ page }, use) => {
    const service = await startService()
    const thrown: string[] = []
    page.on('pageerror', (error) => thrown.push(error.message))
    await use(service)
    await stopService(service)
    if (thrown.length > 0) throw new Error(`The page threw: ${thrown.join('; ')}`)
  },
})

export { expect } from '@playwright/test'
