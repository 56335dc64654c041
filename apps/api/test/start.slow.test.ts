/** The built service as a process: how it starts, refuses to start and stops. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from './support/postgres.ts'
import { newFolder, removeFolder } from './support/service.ts'

const app = fileURLToPath(new URL('..', import.meta.url))
const root = path.resolve(app, '../..')
const build = path.join(root, '.cache', `api-test-${process.pid}`)
const running = new Set<ChildProcess>()
const killRunning = () => {
  for (const child of running) child.kill('SIGKILL')
}
// An interrupted test leaves no service behind.
process.once('exit', killRunning)

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

function launch(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [path.join(build, 'main.js'), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const said = { stdout: '', stderr: '' }
  let ready = () => {}
  const isReady = new Promise<void>((resolve) => {
    ready = resolve
  })
  child.stdout?.on('data', (chunk: Buffer) => {
    said.stdout += chunk
    if (said.stdout.includes('\n')) ready()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    said.stderr += chunk
  })
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code) => {
      running.delete(child)
      resolve({ code, ...said })
    }),
  )
  return { child, ended, isReady: Promise.race([isReady, ended]), said }
}

describe('the built service', { timeout: 300_000 }, () => {
  const dataDir = newFolder()
  let taken: Server
  let takenPort = 0

  beforeAll(async () => {
    execFileSync(
      process.execPath,
      [path.join(root, 'node_modules/vite/bin/vite.js'), 'build', '--outDir', build, '--logLevel', 'error'],
      { cwd: app },
    )
    taken = createServer()
    takenPort = await freePort()
    await new Promise<void>((resolve) => taken.listen(takenPort, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    killRunning()
    await new Promise((resolve) => taken.close(resolve))
    removeFolder(dataDir)
    removeFolder(build)
  })

  const refused = async (args: string[], env: Record<string, string>, sentence: RegExp, code = 3) => {
    const { child, ended, isReady } = launch(args, env)
    await isReady
    child.kill('SIGKILL')
    const told = await ended
    expect(told.stderr.trim().split('\n')).toHaveLength(1)
    expect(told.stderr).toMatch(sentence)
    expect(told.stdout).toBe('')
    expect(told.code).toBe(code)
  }

  test('says one line when it is ready, keeps others out, and stops when asked', async () => {
    const port = await freePort()
    const args = ['--port', String(port), '--data-dir', dataDir]
    const first = launch(args)
    await first.isReady
    expect(first.said).toEqual({ stdout: `HiveMind is ready at http://127.0.0.1:${port}/\n`, stderr: '' })
    expect((await fetch(`http://127.0.0.1:${port}/api/health`)).status).toBe(200)
    await refused(
      ['--port', '0', '--data-dir', dataDir],
      {},
      /^Another HiveMind \(process \d+ on .+\) uses the data folder/,
    )
    await refused(args, {}, /^Something already listens on port/)
    const events = await fetch(`http://127.0.0.1:${port}/api/events?topics=project:x`)
    const began = Date.now()
    first.child.kill('SIGTERM')
    expect((await first.ended).code).toBe(0)
    expect(Date.now() - began).toBeLessThan(8_000)
    await events.text().catch(() => {})
  })

  test('takes over after a crash, and stops on Ctrl-C', async () => {
    const args = ['--port', '0', '--data-dir', dataDir]
    const first = launch(args)
    await first.isReady
    const url = first.said.stdout.trim().split(' ').at(-1)
    const made = await fetch(`${url}api/projects`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Kept"}',
    })
    expect(made.status).toBe(201)
    first.child.kill('SIGKILL')
    await first.ended
    expect(readFileSync(path.join(dataDir, 'service.owner'), 'utf8')).toContain(String(first.child.pid))
    const second = launch(args)
    await second.isReady
    const projects = await fetch(`${second.said.stdout.trim().split(' ').at(-1)}api/projects`)
    expect(await projects.json()).toMatchObject([{ name: 'Kept' }])
    second.child.kill('SIGINT')
    expect((await second.ended).code).toBe(0)
  })

  test('one sentence and exit code 3 when it cannot start', async () => {
    const fresh = path.join(dataDir, 'fresh')
    mkdirSync(fresh)
    const file = path.join(dataDir, 'file')
    writeFileSync(file, '')
    const at = ['--port', '0', '--data-dir', fresh]
    await refused(
      ['--port', String(takenPort), '--data-dir', fresh],
      {},
      /^Something already listens on port \d+ on 127/,
    )
    await refused(
      ['--port', '0', '--data-dir', path.join(file, 'x')],
      {},
      /^The data folder .* cannot be made, for a part of its path is a file/,
    )
    await refused(['--port', '0', '--data-dir', '/proc/none'], {}, /^The data folder .* cannot be written/)
    await refused(at, { HOST: '0.0.0.0' }, /set a password in HIVEMIND_PASSWORD/)
    await refused([...at, '--host', '::'], {}, /set a password in HIVEMIND_PASSWORD/)
    await refused(at, { HOST: '203.0.113.7', HIVEMIND_PASSWORD: 'x' }, /is no address of this machine/)
    const nobody = await freePort()
    await refused(
      at,
      { DATABASE_URL: `postgres://me:hush@127.0.0.1:${nobody}/hive` },
      /^The database at 127\.0\.0\.1:\d+\/hive cannot be reached: (?!.*hush)/,
    )
    await refused(at, { DATABASE_URL: 'nonsense' }, /^DATABASE_URL is no address/)
    await refused(['--port', 'x'], {}, /is no port/, 2)
    await refused(['--colour'], {}, /Unknown option/, 2)
  })

  test('a full disk is told as such', async (context) => {
    const folder = newFolder()
    try {
      execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'pipe' })
    } catch {
      removeFolder(folder)
      context.skip('mounting needs rights that this machine does not give')
    }
    try {
      await refused(['--port', '0', '--data-dir', folder], {}, /^The disk of the data folder .* is full/)
    } finally {
      execFileSync('/bin/umount', [folder])
      removeFolder(folder)
    }
  })
})
