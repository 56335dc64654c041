/** The lock of the data folder holds between processes, also of other containers, and ends with its process. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataFolder } from './lock.ts'

/** Takes the lock and forgets the release: a collection of garbage must not free it. */
const HOLDER = `
async function collectGarbage() {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setImmediate(resolve))
    globalThis.gc()
  }
}
import { lockDataFolder } from ${JSON.stringify(fileURLToPath(new URL('./lock.ts', import.meta.url)))}
lockDataFolder(process.argv[1])
await collectGarbage()
console.log('held')
setInterval(() => {}, 1000)
`
const RUN_HOLDER = [process.execPath, '--expose-gc', '--input-type=module', '-e', HOLDER]
/** What runs a command as process 1 of a namespace of its own, as a container does. */
const IN_CONTAINER = [
  'unshare',
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
]

let folder: string
let holder: ChildProcess | undefined

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hivemind-data-'))
})
afterEach(async () => {
  await end()
  rmSync(folder, { recursive: true })
})

async function hold(prefix: string[] = []): Promise<void> {
  const [command = '', ...args] = [...prefix, ...RUN_HOLDER, folder]
  holder = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout as NodeJS.ReadableStream, 'data')
}

async function end(): Promise<void> {
  if (!holder || holder.exitCode !== null || holder.signalCode !== null) return
  const ended = once(holder, 'close')
  holder.kill('SIGKILL')
  await ended
}

test('a process of another container keeps the folder', async (context) => {
  try {
    execFileSync(IN_CONTAINER[0] as string, [...IN_CONTAINER.slice(1), 'true'], { stdio: 'ignore' })
  } catch {
    context.skip('this machine lets this user make no namespaces')
  }
  await hold(IN_CONTAINER)
  expect(() => lockDataFolder(folder)).toThrow(/^Another HiveMind \(process 1 on .+\) uses the data folder/)
})

test('a second lock is refused, in this process too, until the first is released', () => {
  const release = lockDataFolder(folder)
  expect(() => lockDataFolder(folder)).toThrow(/^Another HiveMind/)
  // The refused attempt must not have freed the lock: a process loses its locks of a file when it closes the file once.
  const other = spawnSync(process.execPath, [...RUN_HOLDER.slice(1), folder], { encoding: 'utf8' })
  expect(other.stderr).toContain(`Another HiveMind (process ${process.pid} on`)
  release()
  release()
  lockDataFolder(folder)()
})

test('the lock ends with its process, however that ends', async () => {
  await hold()
  expect(() => lockDataFolder(folder)).toThrow(/uses the data folder/)
  await end()
  lockDataFolder(folder)()
})
