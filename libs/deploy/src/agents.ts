/**
 * The edge agents of one deployment: processes of this machine, watched by their exit and their heartbeats
 * (paper section 4.6: one a second, failed after 3 s without), started again a bounded number of times.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type EdgeEvent, type Work, WorkFailure } from '@hivemind/orchestrator'
import { createClient, type RpcClient, RpcError, RpcException, TApplicationException } from '@hivemind/rpc'
import {
  agentService,
  edgeApi,
  outsideData,
  type Plan,
  type Synthesis,
  taskFunction,
} from '@hivemind/synthesis'
import { type AgentInfo, failureKind } from './gateway.ts'
import { CBOR, encodeValue } from './values.ts'
import type { Ways } from './ways.ts'

const START_LIMIT_MS = 60_000
const SILENCE_LIMIT_MS = 3_000
const WATCH_EVERY_MS = 500
const MAX_RESPAWNS = 3
/** An agent that was up for so long is given all its restarts again. */
const STEADY_MS = 60_000
const STOP_LIMIT_MS = 3_000
const KEPT_OUTPUT = 4_000

const defaultCommand = [
  process.execPath,
  fileURLToPath(new URL('../../../apps/edge-agent/bin/hivemind-edge-agent.mjs', import.meta.url)),
]

/** What an agent is started with, as a JSON file. */
export interface AgentConfig {
  device: string
  deviceIndex: number
  gateway: { host: string; port: number }
  plan: Plan
  flow: Synthesis['flow']
  /** Folder of each edge task's unpacked bundle. */
  bundleDirs: Record<string, string>
  /** Scratch folder of its own. */
  userDir: string
}

export interface AgentsOptions {
  synthesis: Synthesis
  count: number
  bundleDirs: Record<string, string>
  scratchDir: string
  /** Program and arguments that start an agent; `--config FILE` is added. */
  command?: string[]
  /** What lies between agents and gateway; nothing when absent. */
  ways?: Ways
  onEdge: (event: EdgeEvent) => void
  onChange: () => void
}

export interface AgentState {
  name: string
  state: 'starting' | 'ready' | 'failed' | 'stopped'
  pid?: number
  message?: string
}

interface Agent extends AgentState {
  index: number
  process?: ChildProcess
  client?: RpcClient
  seenAt: number
  readyAt: number
  respawns: number
  output: string
  /** Lanes it has been told to start, as `run device`. */
  lanes: Map<string, Promise<unknown>>
  registered?: (info: AgentInfo) => void
}

export class Agents {
  readonly names: string[]
  readonly #options: AgentsOptions
  readonly #agents: Map<string, Agent>
  readonly #api
  #gateway = { host: '127.0.0.1', port: 0 }
  #watch: NodeJS.Timeout | undefined
  #stopping = false
  /** Starts of agents that are under way. */
  readonly #spawning = new Set<Promise<void>>()

  constructor(options: AgentsOptions) {
    this.#options = options
    this.#api = edgeApi(options.synthesis.plan)
    this.names = Array.from({ length: options.count }, (_, index) => `device-${index + 1}`)
    this.#agents = new Map(
      this.names.map((name, index) => [
        name,
        { name, index, state: 'starting', seenAt: 0, readyAt: 0, respawns: 0, output: '', lanes: new Map() },
      ]),
    )
  }

  get states(): AgentState[] {
    return [...this.#agents.values()].map(({ name, state, pid, message }) => ({
      name,
      state,
      ...(pid === undefined ? {} : { pid }),
      ...(message === undefined ? {} : { message }),
    }))
  }

  /** Starts every agent; resolves when all have registered with the gateway. */
  async start(gateway: { host: string; port: number }): Promise<void> {
    this.#gateway = gateway
    await Promise.all([...this.#agents.values()].map((agent) => this.#spawn(agent)))
    this.#watchHeartbeats()
  }

  registered(info: AgentInfo): void {
    this.#agents.get(info.device)?.registered?.(info)
  }

  heartbeat(device: string): void {
    const agent = this.#agents.get(device)
    if (agent) agent.seenAt = Date.now()
  }

  /** Hands an invocation to an agent; rejects with `WorkFailure`. */
  async dispatch(work: Work, name: string, maxItems: number | undefined): Promise<void> {
    const { plan } = this.#options.synthesis
    const agent = this.#agents.get(name)
    const task = plan.tasks.find((each) => each.name === work.key.task)
    const client = agent?.client
    if (!agent || !task || !client || agent.state !== 'ready')
      throw new WorkFailure('lost', `Agent ${name} is not there.`)
    const values = outsideData(plan, task).map((data, index) => [
      `input${index + 1}`,
      { name: data, contentType: CBOR, payload: encodeValue(work.inputs[data]) },
    ])
    try {
      await this.#startLane(agent, client, work, maxItems)
      await client.call(taskFunction(plan, task.name), {
        key: { run: work.run, ...work.key },
        delivery: {
          epoch: work.epoch,
          attempt: work.attempt,
          shape: work.shape ?? '',
          readyAt: work.readyAt,
          sentAt: performance.timeOrigin + performance.now(),
        },
        ...Object.fromEntries(values),
      })
    } catch (error) {
      if (error instanceof RpcException) {
        const { kind, message, detail } = error.fields as { kind: string; message: string; detail: string }
        throw new WorkFailure(failureKind(kind), message, detail)
      }
      const { message } = error as Error
      const answers = error instanceof TApplicationException
      const fits = !(error instanceof RpcError && (error.kind === 'frame' || error.kind === 'value'))
      if (answers || !fits) throw new WorkFailure('value', message)
      // A connection that broke means an agent that is no good any more: its exit tells the run.
      agent.process?.kill('SIGKILL')
      throw new WorkFailure('lost', `Agent ${name} does not answer: ${message}`)
    }
  }

  /** Tells every agent that a run has ended. */
  async endRun(run: string): Promise<void> {
    await Promise.allSettled(
      [...this.#agents.values()].map(async (agent) => {
        agent.lanes.clear()
        if (agent.state === 'ready') await agent.client?.call('endRun', { run }, { timeoutMs: 5_000 })
      }),
    )
  }

  /** Also in the midst of a start, which then rejects or starts nothing any more. */
  async stop(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#watch)
    await Promise.all([...this.#agents.values()].map((agent) => stopProcess(agent)))
    await Promise.allSettled(this.#spawning)
    this.#options.onChange()
  }

  /** For a process that is ending: no waiting. */
  killNow(): void {
    this.#stopping = true
    for (const agent of this.#agents.values()) if (agent.process) killGroup(agent.process)
  }

  #startLane(agent: Agent, client: RpcClient, work: Work, maxItems: number | undefined): Promise<unknown> {
    const lane = `${work.run} ${work.key.device}`
    const before = agent.lanes.get(lane)
    if (before) return before
    const started = client.call('startRun', {
      start: {
        run: work.run,
        device: work.key.device,
        deviceIndex: this.names.indexOf(work.key.device),
        devices: this.names,
        maxItems: maxItems ?? -1,
      },
    })
    agent.lanes.set(lane, started)
    return started
  }

  #spawn(agent: Agent): Promise<void> {
    const spawning = this.#bringUp(agent).finally(() => this.#spawning.delete(spawning))
    this.#spawning.add(spawning)
    return spawning
  }

  async #bringUp(agent: Agent): Promise<void> {
    const { synthesis, bundleDirs, scratchDir, ways, command = defaultCommand } = this.#options
    const folder = path.join(scratchDir, 'agents', agent.name)
    await mkdir(folder, { recursive: true })
    const config: AgentConfig = {
      device: agent.name,
      deviceIndex: agent.index,
      gateway: (await ways?.toGateway(agent.name, this.#gateway)) ?? this.#gateway,
      plan: synthesis.plan,
      flow: synthesis.flow,
      bundleDirs,
      userDir: folder,
    }
    const file = path.join(folder, 'agent.json')
    await writeFile(file, JSON.stringify(config))
    if (this.#stopping) return
    const [program = process.execPath, ...args] = command
    // The agent ends itself when this pipe closes, so it never outlives this process.
    // It leads a process group, so that its tasks' processes can be ended with it however it ends.
    const child = spawn(program, [...args, '--config', file], {
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd: folder,
      detached: true,
    })
    child.once('exit', () => killGroup(child))
    agent.process = child
    agent.pid = child.pid
    agent.output = ''
    agent.lanes = new Map()
    const keep = (chunk: Buffer): void => {
      agent.output = (agent.output + chunk.toString()).slice(-KEPT_OUTPUT)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.stdin.on('error', () => {})
    const info = await new Promise<AgentInfo>((resolve, reject) => {
      const fail = (why: string): void => {
        clearTimeout(late)
        reject(new Error(`Agent ${agent.name} ${why}. ${lastLines(agent.output)}`.trim()))
      }
      const late = setTimeout(() => {
        child.kill('SIGKILL')
        fail(`was not ready after ${START_LIMIT_MS / 1000} s`)
      }, START_LIMIT_MS)
      child.once('error', (error) => fail(`could not be started: ${error.message}`))
      child.once('exit', (code, signal) => fail(`ended while it started (${signal ?? `exit code ${code}`})`))
      agent.registered = (registered) => {
        clearTimeout(late)
        resolve(registered)
      }
    })
    const { plan } = synthesis
    const address = { host: '127.0.0.1', port: info.port }
    const way = (await ways?.toAgent(agent.name, address)) ?? address
    const client = createClient(this.#api, agentService(plan), way)
    await client.connected()
    agent.client = client
    agent.seenAt = Date.now()
    agent.readyAt = agent.seenAt
    agent.state = 'ready'
    agent.message = undefined
    child.once('exit', (code, signal) => this.#lost(agent, signal ?? `exit code ${code}`))
    if (child.exitCode !== null || child.signalCode !== null) this.#lost(agent, 'it ended')
    this.#options.onChange()
  }

  #lost(agent: Agent, how: string): void {
    agent.client?.close()
    agent.client = undefined
    if (this.#stopping || agent.state !== 'ready') return
    if (Date.now() - agent.readyAt > STEADY_MS) agent.respawns = 0
    const again = agent.respawns < MAX_RESPAWNS
    agent.state = again ? 'starting' : 'failed'
    agent.message = `Agent ${agent.name} was lost (${how}).`
    this.#options.onChange()
    this.#options.onEdge({
      type: 'deviceLost',
      device: agent.name,
      respawning: again,
      message: agent.message,
    })
    if (!again) return
    agent.respawns += 1
    setTimeout(() => void this.#respawn(agent), 200 * 2 ** (agent.respawns - 1))
  }

  async #respawn(agent: Agent): Promise<void> {
    if (this.#stopping) return
    try {
      await this.#spawn(agent)
      // Lost again already: that has been told, and another start follows.
      if (agent.state !== 'ready') return
      const message = `Agent ${agent.name} was started again (${agent.respawns} of ${MAX_RESPAWNS}).`
      this.#options.onEdge({ type: 'deviceUp', device: agent.name, message })
    } catch (error) {
      if (this.#stopping) return
      agent.state = 'failed'
      agent.message = (error as Error).message
      this.#options.onChange()
      const { message } = agent
      this.#options.onEdge({ type: 'deviceLost', device: agent.name, respawning: false, message })
    }
  }

  #watchHeartbeats(): void {
    let last = Date.now()
    this.#watch = setInterval(() => {
      const now = Date.now()
      // When this process itself was held up, silence proves nothing.
      const heldUp = now - last > WATCH_EVERY_MS * 3
      last = now
      for (const agent of this.#agents.values()) {
        if (agent.state !== 'ready') continue
        if (heldUp) agent.seenAt = now
        else if (now - agent.seenAt > SILENCE_LIMIT_MS) agent.process?.kill('SIGKILL')
      }
    }, WATCH_EVERY_MS)
    this.#watch.unref()
  }
}

/** Ends an agent and every process it started, as far as they are still there. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left of it.
  }
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-5).join('\n')
}

async function stopProcess(agent: Agent): Promise<void> {
  agent.client?.close()
  agent.state = 'stopped'
  const child = agent.process
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.stdin?.end()
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await ended
  clearTimeout(late)
}
