/** The built service as a process of its own, to be killed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from './client.ts'

const app = fileURLToPath(new URL('../..', import.meta.url))
const root = path.resolve(app, '../..')

export interface BuiltService {
  child: ChildProcess
  client: Client
  ended: Promise<unknown>
  /** Kills it as kill -9 does, and waits until it is gone. */
  kill(): Promise<void>
}

/** Builds the service into `folder`, which must lie below the repository so that its packages are found. */
export function buildService(name: string): string {
  const folder = path.join(root, '.cache', `${name}-${process.pid}`)
  execFileSync(
    process.execPath,
    [path.join(root, 'node_modules/vite/bin/vite.js'), 'build', '--outDir', folder, '--logLevel', 'error'],
    { cwd: app },
  )
  return folder
}

/** Starts the built service on a data folder; resolves when it is ready. */
export async function launchBuilt(
  build: string,
  dataDir: string,
  env: Record<string, string> = {},
): Promise<BuiltService> {
  const child = spawn(process.execPath, [path.join(build, 'main.js'), '--port', '0', '--data-dir', dataDir], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // An interrupted test leaves no service behind.
  const killChild = () => child.kill('SIGKILL')
  process.once('exit', killChild)
  const ended = once(child, 'close').then(() => process.removeListener('exit', killChild))
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk
    })
    child.stdout?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk)
      const found = /ready at (\S+)\n/.exec(String(chunk))
      if (found?.[1]) resolve(found[1])
    })
    child.once('close', () => reject(new Error(`The service ended: ${said}`)))
  })
  return {
    child,
    client: new Client(url),
    ended,
    kill: async () => {
      killChild()
      await ended
    },
  }
}
