/**
 * The agent of one edge device (paper section 4.6): `hivemind-edge-agent --config FILE`.
 * It ends when its standard input closes (whoever started it is gone), on SIGTERM, and when the gateway is away for long.
 */
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { edgeApi, gatewayService } from '@hivemind/synthesis'
import { serveAgent } from './agentServer.ts'
import { type AgentConfig, readConfig } from './config.ts'
import { Device } from './device.ts'
import { GatewayLink } from './gatewayLink.ts'
import { startFlow } from './nodeRed.ts'
import { Reporter } from './reporter.ts'

const HEARTBEAT_MS = 1_000
/** Without the gateway for so long, the agent ends. */
const GIVE_UP_MS = 30_000
/** Ending may take so long; then the process goes all the same. */
const STOP_LIMIT_MS = 2_000

type AgentState = 'starting' | 'connecting' | 'ready' | 'stopping'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

async function run(config: AgentConfig): Promise<void> {
  let state: AgentState = 'starting'
  const enter = (next: AgentState, why: string): void => {
    if (next !== state) console.log(`${config.device}: ${next} (${why})`)
    state = next
  }
  const { plan, gateway } = config
  const model = edgeApi(plan)
  let port = 0
  const info = () => ({ device: config.device, pid: process.pid, port, version })
  let stop: (code: number, why: string) => void = () => {}
  const link = new GatewayLink({
    model,
    service: gatewayService(plan),
    ...gateway,
    giveUpMs: GIVE_UP_MS,
    onConnect: () => ({ fn: 'registerAgent', args: { agent: info() } }),
    onState: (next) => {
      if (next === 'gone') stop(3, `the gateway was away for ${GIVE_UP_MS / 1000} s`)
      else enter(next === 'connected' ? 'ready' : 'connecting', `gateway ${gateway.host}:${gateway.port}`)
    },
  })
  const device = new Device(config, new Reporter(plan, link))
  const beat = setInterval(
    () => link.mention('heartbeat', { device: config.device, at: Date.now() }),
    HEARTBEAT_MS,
  )
  stop = (code, why) => {
    if (state === 'stopping') return
    enter('stopping', why)
    clearInterval(beat)
    setTimeout(() => process.exit(code), STOP_LIMIT_MS)
    void device.stop().finally(() => process.exit(code))
  }
  process.once('SIGTERM', () => stop(0, 'SIGTERM'))
  process.once('SIGINT', () => stop(0, 'SIGINT'))
  // Whoever started the agent holds the other end of this pipe; it closes even when that process is killed.
  process.stdin.on('end', () => stop(0, 'its parent ended'))
  process.stdin.on('error', () => stop(0, 'its parent ended'))
  process.stdin.resume()
  // A closed standard output must not end the agent in the middle of its clean-up.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})

  await mkdir(config.userDir, { recursive: true })
  await startFlow(config.flow, config.userDir, device)
  port = (await serveAgent(model, plan, device, info)).port
  await link.open()
  await device.warm()
}

try {
  const { values } = parseArgs({ options: { config: { type: 'string' } } })
  if (!values.config) throw new Error('Usage: hivemind-edge-agent --config FILE')
  await run(await readConfig(values.config))
} catch (error) {
  console.error((error as Error).message)
  process.exit(3)
}
