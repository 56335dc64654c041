/**
 * The agent of one edge device (paper section 4.6). It dials out to the broker, knows no plan at its start, and goes on
 * without the service and without a connection. It ends on SIGTERM, when its standard input closes (`--bound`), when it has
 * not heard from the service for as long as its lease says, when another agent uses its device id, and when its credential is
 * refused.
 */
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import tls from 'node:tls'
import { inspectSandbox, sandboxModeIn } from '@hivemind/task-runner'
import { countBuffersAsHeap } from '@hivemind/values/node'
import { Agent } from './agent.ts'
import { succeedFormer } from './former.ts'
import { type AgentOptions, readOptions } from './options.ts'

/** Ending may take so long; then the process goes all the same. */
const STOP_LIMIT_MS = 2_000
const LEASE_CHECK_MS = 500
const DISPLACED_EXIT_CODE = 4
const REFUSED_EXIT_CODE = 5

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** What is to be said of task code that does not run confined on this device. Throws an `Error` for a wrong setting. */
function sandboxLine(): string | undefined {
  const mode = sandboxModeIn(process.env)
  if (mode === 'off') return 'task code runs without a sandbox (HIVEMIND_SANDBOX is off)'
  const report = inspectSandbox()
  if (report.works) return undefined
  const consequence = mode === 'required' ? 'no task code runs' : 'task code runs without a sandbox'
  return `${consequence}: ${report.reason}; to fix it, ${report.fix}`
}

async function run(options: AgentOptions): Promise<void> {
  const say = (text: string): void => console.log(`${options.device}: ${text}`)
  let agent: Agent | undefined
  let stopping = false
  const stop = (code: number, why: string): void => {
    if (stopping) return
    stopping = true
    say(`stopping (${why})`)
    setTimeout(() => process.exit(code), STOP_LIMIT_MS)
    void Promise.resolve(agent?.stop()).finally(() => process.exit(code))
  }
  process.once('SIGTERM', () => stop(0, 'SIGTERM'))
  process.once('SIGINT', () => stop(0, 'SIGINT'))
  // A closed standard output must not end the agent.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  if (options.bound) {
    // Whoever started the agent holds the other end of this pipe; it closes even when that process is killed.
    process.stdin.on('end', () => stop(0, 'its parent ended'))
    process.stdin.on('error', () => stop(0, 'its parent ended'))
    process.stdin.resume()
  }
  // for the broker and for what is fetched over HTTP
  if (options.ca !== undefined)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...options.ca])
  const sandbox = sandboxLine()
  if (sandbox) say(sandbox)
  await mkdir(options.dir, { recursive: true })
  succeedFormer(options.dir)
  agent = await Agent.start(options, version, {
    onLine: say,
    onRefused: () =>
      stop(
        REFUSED_EXIT_CODE,
        `the broker at ${options.broker} refuses the credential of '${options.device}': it is wrong, or the device was removed; enrol it again`,
      ),
    onDisplaced: () => stop(DISPLACED_EXIT_CODE, `another agent uses the device id '${options.device}'`),
  })
  const { leaseSeconds } = options
  if (leaseSeconds !== undefined)
    setInterval(() => {
      if (agent.silenceMs > leaseSeconds * 1000) stop(0, `the service was silent for ${leaseSeconds} s`)
    }, LEASE_CHECK_MS)
}

try {
  countBuffersAsHeap()
  await run(await readOptions(process.argv.slice(2)))
} catch (error) {
  console.error((error as Error).message)
  process.exit(3)
}
