/** A PostgreSQL server of its own for a test: a fresh cluster on a free port of the loopback. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'

const BIN = '/usr/lib/postgresql/15/bin'

export interface TestPostgres {
  url: string
  stop(): Promise<void>
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('No port is free.')
  return address.port
}

/** PostgreSQL refuses to run as root: the account that Debian's package makes runs it then. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export async function startPostgres(): Promise<TestPostgres> {
  if (!existsSync(`${BIN}/postgres`)) throw new Error(`Install Debian's postgresql-15: ${BIN} is missing.`)
  const dir = mkdtempSync(path.join(tmpdir(), 'hivemind-pg-'))
  const as = account()
  if (as.uid !== undefined && as.gid !== undefined) chownSync(dir, as.uid, as.gid)
  chmodSync(dir, 0o700)
  const data = path.join(dir, 'data')
  const options = { ...as, cwd: dir, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } }
  execFileSync(`${BIN}/initdb`, ['-D', data, '-U', 'test', '-A', 'trust', '--no-sync', '-E', 'UTF8'], {
    ...options,
    stdio: 'pipe',
  })
  const port = await freePort()
  const server = spawn(
    `${BIN}/postgres`,
    ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', dir, '-F'],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  server.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000)
  })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const kill = () => server.kill('SIGKILL')
  process.once('exit', kill)
  const url = `postgres://test@127.0.0.1:${port}/postgres`
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      break
    } catch {
      await client.end().catch(() => {})
      if (server.exitCode !== null || attempt > 300) throw new Error(`PostgreSQL did not start:\n${said}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  return {
    url,
    async stop() {
      process.off('exit', kill)
      server.kill('SIGINT')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
