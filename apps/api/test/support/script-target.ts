/**
 * A target that starts nothing: its runs tell what a test hands them. For what real processes do not do on demand, such
 * as telling 6,000 log lines, or starting for ever. The real target has tests of its own.
 */
import type {
  ApplyOptions,
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  RunOptions,
  Target,
} from '@hivemind/deploy'
import type { RunEvent, RunResult } from '@hivemind/orchestrator'

export interface Script {
  /** Rejects or waits as a start may. */
  start?: (spec: DeploymentSpec, signal: AbortSignal | undefined, options: ApplyOptions) => Promise<void>
  /** Lines of a resource. */
  logs?: (name: string) => string[]
  run?: (options: RunOptions, tell: (event: RunEvent) => void) => Promise<Partial<RunResult>>
}

export class ScriptTarget implements Target {
  readonly kind = 'script'
  readonly place = 'nowhere'
  script: Script = {}
  readonly alive = new Set<string>()
  /** Most that were alive at one time. */
  most = 0

  async plan() {
    return { changes: [], needs: [] }
  }

  async attach() {
    return null
  }

  async fleet() {
    return []
  }

  async enrol() {
    return { fleet: 'script', broker: 'mqtt://127.0.0.1:9', values: 'http://127.0.0.1:9' }
  }

  async removeDevice() {
    return true
  }

  async close() {}

  async apply(spec: DeploymentSpec, options: ApplyOptions = {}): Promise<Deployment> {
    const status = (state: DeploymentStatus['state']): DeploymentStatus => ({
      state,
      resources: spec.devices.map(({ name }) => ({ kind: 'agent', name, state })),
    })
    const stopped = new AbortController()
    const deployment: Deployment = {
      spec,
      status: () => status('ready'),
      record: () => ({
        schema: 'hivemind.live/1',
        target: 'script',
        group: spec.name,
        functions: [],
        agents: [],
      }),
      forgetRun: () => {},
      endpoint: async () => ({ url: 'http://127.0.0.1:9/' }),
      logs: ({ name }) => this.script.logs?.(name) ?? [],
      watch: () => () => {},
      run: async (run = {}) => {
        const signal = AbortSignal.any([stopped.signal, ...(run.signal ? [run.signal] : [])])
        const startedAt = Date.now()
        const ended = await this.script.run?.({ ...run, signal }, (event) => run.onEvent?.(event))
        return {
          state: signal.aborted ? 'cancelled' : 'succeeded',
          startedAt,
          endedAt: Date.now(),
          outputs: [],
          spans: [],
          tasks: [],
          losses: [],
          ...ended,
        }
      },
      undeploy: async () => {
        stopped.abort()
        this.alive.delete(spec.name)
      },
    }
    options.onStarting?.(deployment)
    options.onStatus?.(status('starting'))
    await this.script.start?.(spec, options.signal, options)
    options.signal?.throwIfAborted()
    await options.current?.undeploy()
    this.alive.add(spec.name)
    this.most = Math.max(this.most, this.alive.size)
    return deployment
  }
}
