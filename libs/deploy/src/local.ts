/**
 * The local target, the embedded default: cloud functions in worker processes and edge devices as agent processes of
 * this machine. See docs/local-target.md.
 */
import { randomUUID } from 'node:crypto'
import { totalmem } from 'node:os'
import path from 'node:path'
import { type EdgeEvent, executePlan, type RunResult } from '@hivemind/orchestrator'
import type { RpcServer } from '@hivemind/rpc'
import { type PlanTask, SynthesisError } from '@hivemind/synthesis'
import { Agents } from './agents.ts'
import { unpackBundle } from './bundles.ts'
import { Cloud } from './cloud.ts'
import { startGateway } from './gateway.ts'
import type { LinkShape } from './link.ts'
import { makeScratch, removeScratch } from './scratch.ts'
import type {
  Deployment,
  DeploymentDiff,
  DeploymentSpec,
  DeploymentStatus,
  ItemSent,
  ResourceStatus,
  RunOptions,
  Target,
} from './types.ts'
import { Ways } from './ways.ts'

export interface LocalTargetOptions {
  /** Where scratch folders are made; the system's folder for temporary files when absent. */
  scratchDir?: string
  /** Program and arguments that start an edge agent; `--config FILE` is added. */
  agentCommand?: string[]
  /** The link between agents and gateway, made by shaping proxies; the bare loopback when absent. */
  link?: LinkShape
}

type StatusListener = (status: DeploymentStatus) => void

/** Wall clock, ms since 1970 with fraction. */
const now = (): number => performance.timeOrigin + performance.now()

export function localTarget(options: LocalTargetOptions = {}): Target {
  return {
    name: 'local',
    plan: diff,
    apply: async (spec, { signal, onStatus } = {}) => {
      if (spec.agents < 1 && spec.synthesis.plan.tasks.some((task) => task.tier === 'edge'))
        throw new SynthesisError(['A deployment with tasks on the edge needs at least one agent.'])
      const [processes, most] = [processesOf(spec), Math.floor(totalmem() / BYTES_A_PROCESS)]
      if (processes > most)
        throw new SynthesisError([
          `This placement needs ${processes} processes on this machine: one for each task in the cloud, for each agent and for each of its tasks. Its memory suffices for ${most}. Use fewer agents or a workflow with fewer tasks.`,
        ])
      const deployment = new LocalDeployment(spec, options, onStatus ?? (() => {}))
      const abort = (): void => void deployment.undeploy()
      signal?.addEventListener('abort', abort, { once: true })
      try {
        signal?.throwIfAborted()
        await deployment.start()
        signal?.throwIfAborted()
        return deployment
      } catch (error) {
        await deployment.undeploy()
        throw error
      } finally {
        signal?.removeEventListener('abort', abort)
      }
    },
  }
}

/** Memory of the machine for each process of a deployment: an idle one takes about half of it. */
const BYTES_A_PROCESS = 64 * 2 ** 20

/** Processes that a deployment starts before it is ready. */
function processesOf({ synthesis, agents }: DeploymentSpec): number {
  const { tasks } = synthesis.plan
  const cloud = tasks.filter(({ tier }) => tier === 'cloud').length
  return cloud + agents * (1 + tasks.length - cloud)
}

/** What a deployment is made of, by name, with what decides whether it must be made again. */
function resourcesOf(spec: DeploymentSpec | null): Map<string, string> {
  const resources = new Map<string, string>()
  if (!spec) return resources
  const { plan, flow } = spec.synthesis
  for (const task of plan.tasks.filter(({ tier }) => tier === 'cloud'))
    resources.set(`function ${task.name}`, JSON.stringify(task))
  const edge = JSON.stringify([flow, plan.tasks.filter(({ tier }) => tier === 'edge')])
  for (let index = 1; index <= spec.agents; index++) resources.set(`agent device-${index}`, edge)
  return resources
}

function diff(current: DeploymentSpec | null, next: DeploymentSpec): DeploymentDiff {
  const before = resourcesOf(current)
  const after = resourcesOf(next)
  return {
    create: [...after.keys()].filter((name) => !before.has(name)),
    change: [...after]
      .filter(([name, what]) => before.has(name) && before.get(name) !== what)
      .map(([name]) => name),
    remove: [...before.keys()].filter((name) => !after.has(name)),
  }
}

class LocalDeployment implements Deployment {
  readonly spec: DeploymentSpec
  readonly #options: LocalTargetOptions
  readonly #onStatus: StatusListener
  readonly #scratch: string
  #state: DeploymentStatus['state'] = 'starting'
  #message: string | undefined
  #cloud: Cloud | undefined
  #cloudReady = false
  #agents: Agents | undefined
  #gateway: RpcServer | undefined
  #ways: Ways | undefined
  #listener:
    | { run: string; handle: (event: EdgeEvent) => void; onItem?: (item: ItemSent) => void }
    | undefined
  #started: Promise<void> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #stopped: Promise<void> | undefined
  readonly #running = new AbortController()
  readonly #atExit = (): void => {
    this.#agents?.killNow()
    removeScratch(this.#scratch)
  }

  constructor(spec: DeploymentSpec, options: LocalTargetOptions, onStatus: StatusListener) {
    this.spec = spec
    this.#options = options
    this.#onStatus = onStatus
    this.#scratch = makeScratch(options.scratchDir)
    process.once('exit', this.#atExit)
  }

  start(): Promise<void> {
    this.#started = this.#start()
    return this.#started
  }

  /** Rejects when the deployment is stopped meanwhile. */
  async #start(): Promise<void> {
    const { synthesis, projectDir, agents } = this.spec
    const bundleDirs: Record<string, string> = {}
    for (const bundle of synthesis.bundles) {
      bundleDirs[bundle.task] = await unpackBundle(projectDir, bundle, path.join(this.#scratch, 'bundles'))
      this.#running.signal.throwIfAborted()
    }
    this.#cloud = new Cloud({
      synthesis,
      bundleDirs,
      now,
      onLog: (source, { device }, level, text) =>
        this.#listener?.handle({
          type: 'log',
          line: { at: now(), level, source, ...(device === '*' ? {} : { device }), text },
        }),
    })
    const { link } = this.#options
    if (link) this.#ways = new Ways({ link, onSign: (device) => this.#agents?.heartbeat(device) })
    this.#agents = new Agents({
      synthesis,
      count: agents,
      bundleDirs,
      scratchDir: this.#scratch,
      ...(this.#options.agentCommand ? { command: this.#options.agentCommand } : {}),
      ...(this.#ways ? { ways: this.#ways } : {}),
      onEdge: (event) => this.#listener?.handle(event),
      onChange: () => this.#changed(),
    })
    this.#gateway = await startGateway({
      plan: synthesis.plan,
      onAgent: (agent) => this.#agents?.registered(agent),
      onHeartbeat: (device) => this.#agents?.heartbeat(device),
      onEdge: (run, event) => {
        if (run === '' || run === this.#listener?.run) this.#listener?.handle(event)
      },
      ...(this.#ways ? { frames: this.#ways.frames } : {}),
      onItem: (run, item) => {
        if (run === this.#listener?.run) this.#listener.onItem?.(item)
      },
    })
    this.#running.signal.throwIfAborted()
    this.#changed()
    const { host, port } = this.#gateway
    await Promise.all([
      this.#cloud.start().then(() => {
        this.#cloudReady = true
        this.#changed()
      }),
      this.#agents.start({ host, port }),
    ])
    this.#state = 'ready'
    this.#changed()
  }

  status(): DeploymentStatus {
    const functions = (this.#cloud?.functions ?? []).map(
      (task: PlanTask): ResourceStatus => ({
        kind: 'function',
        name: task.name,
        state: this.#state === 'stopped' ? 'stopped' : this.#cloudReady ? 'ready' : 'starting',
      }),
    )
    const agents = (this.#agents?.states ?? []).map((agent): ResourceStatus => ({ kind: 'agent', ...agent }))
    return {
      state: this.#state,
      ...(this.#message === undefined ? {} : { message: this.#message }),
      resources: [...functions, ...agents],
    }
  }

  run(options: RunOptions = {}): Promise<RunResult> {
    const turn = this.#last.then(() => this.#runOnce(options))
    this.#last = turn.catch(() => {})
    return turn
  }

  async #runOnce({ inputs, itemsPerDevice, signal, onEvent, onItem }: RunOptions): Promise<RunResult> {
    const cloud = this.#cloud
    const agents = this.#agents
    if (!cloud || !agents || this.#state !== 'ready') throw new Error('The deployment is not running.')
    const run = `run-${randomUUID().slice(0, 8)}`
    const { plan } = this.spec.synthesis
    const devices = agents.names
    const signals = [this.#running.signal, ...(signal ? [signal] : [])]
    try {
      return await executePlan(
        plan,
        {
          now,
          runCloud: (work, emit, cancelled) =>
            cloud.invoke(
              work,
              {
                run,
                ...work.key,
                deviceIndex: devices.indexOf(work.key.device),
                devices,
                ...(itemsPerDevice === undefined ? {} : { maxItems: itemsPerDevice }),
              },
              emit,
              cancelled as AbortSignal,
            ),
          dispatchEdge: (work, agent) => agents.dispatch(work, agent, itemsPerDevice),
          onEdge: (handle) => {
            this.#listener = { run, handle, ...(onItem ? { onItem } : {}) }
            for (const { name, state, message } of agents.states)
              if (state !== 'ready')
                handle({
                  type: 'deviceLost',
                  device: name,
                  respawning: state === 'starting',
                  message: message ?? `Agent ${name} is not there.`,
                })
            return () => {
              this.#listener = undefined
            }
          },
        },
        {
          run,
          devices,
          inputs: inputs ?? {},
          cloudSlots: Math.max(8, 4 * cloud.functions.length),
          signal: AbortSignal.any(signals),
          ...(onEvent ? { onEvent } : {}),
        },
      )
    } finally {
      await agents.endRun(run)
    }
  }

  undeploy(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#running.abort()
    await this.#last
    await Promise.allSettled([this.#agents?.stop(), this.#cloud?.stop()])
    // A start in the midst of which this comes makes nothing any more once it has ended.
    await this.#started?.catch(() => {})
    await this.#gateway?.close()
    await this.#ways?.close()
    removeScratch(this.#scratch)
    process.off('exit', this.#atExit)
    this.#state = 'stopped'
    this.#changed()
  }

  #changed(): void {
    this.#onStatus(this.status())
  }
}
