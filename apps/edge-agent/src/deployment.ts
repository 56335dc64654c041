/** One deployment on this device: its plan, its tasks' processes, its part of the runs. */
import type { DesiredDeployment, Down, LogLine, Up } from '@hivemind/agent-protocol'
import { type DevicePorts, DeviceRuntime, type WireItem } from '@hivemind/orchestrator'
import { isKept, type Plan, poolOf } from '@hivemind/synthesis'
import { MAX_PREVIEW_BYTES, referTo } from '@hivemind/values'
import type { PatientDataPort } from './data.ts'
import { Executor } from './executor.ts'
import { type FlowMessage, fromMessage, toMessage } from './messages.ts'

/** What a deployment needs from its agent. */
export interface DeploymentContext {
  device: string
  /** Invocations that may be under way at once. */
  slots: number
  now: () => number
  /** Resolves when the service has the message. Never rejects. */
  send: (message: Up) => Promise<void>
  /** Resolves when the service keeps up with what is sent; `undefined`: it does. */
  whenRoom: () => Promise<void> | undefined
  log: (run: string, line: LogLine) => void
  /** Lets a task's node send a message on its wires. */
  sendOnFlow: (task: string, message: FlowMessage) => void
  /** Task code ran for so long, in ms. */
  worked: (ms: number) => void
}

export class Deployment {
  readonly plan: Plan
  readonly #context: DeploymentContext
  readonly #data: PatientDataPort
  readonly #executor: Executor
  readonly #runtime: DeviceRuntime
  readonly #topics: Map<string, string>

  /**
   * `dirs`: folder of each task's unpacked bundle; `scratch`: that of tasks without one. `cores`: which ones its tasks have;
   * all of the device when absent.
   */
  constructor(
    plan: Plan,
    dirs: Record<string, string>,
    scratch: string,
    data: PatientDataPort,
    context: DeploymentContext,
    cores?: DesiredDeployment['cores'],
  ) {
    this.plan = plan
    this.#context = context
    this.#data = data
    this.#executor = new Executor(plan, dirs, scratch, data, cores)
    this.#topics = new Map(plan.tasks.map(({ name, dataOut }) => [name, dataOut ?? name]))
    this.#runtime = new DeviceRuntime(plan, { device: context.device, slots: context.slots }, this.#ports())
  }

  /** Runs that this device works for. */
  get runs(): string[] {
    return this.#runtime.runs
  }

  /** Starts the tasks' processes ahead of need. */
  warm(): Promise<void> {
    return this.#executor.warm()
  }

  /** A message of the service. */
  handle(message: Down): void {
    this.#runtime.handle(message)
  }

  /** A message has reached a task's node. */
  arrived(task: string, message: FlowMessage): void {
    const item = fromMessage(message)
    if (item) this.#runtime.arrived(task, item)
    else this.#log('', 'warn', `A message without a place reached the task '${task}' and was ignored.`)
  }

  /** Ends all work for all runs; their service, which has restarted, starts again what is still to be done. */
  abandonRuns(): void {
    for (const run of this.#runtime.runs) this.#runtime.handle({ t: 'stop', run })
  }

  /** Ends all work and every process of a task. */
  async close(): Promise<void> {
    this.#runtime.stop()
    this.#data.close()
    await this.#executor.close()
  }

  #ports(): DevicePorts {
    const { now, send, whenRoom, log } = this.#context
    return {
      now,
      after: (ms, action) => {
        const timer = setTimeout(action, Math.max(0, ms))
        return () => clearTimeout(timer)
      },
      send: (message) => {
        if (message.t !== 'log') return send(message)
        for (const line of message.lines) log(message.run, line)
        return Promise.resolve()
      },
      whenRoom,
      execute: async (work, onItem, onLog, signal) => {
        const from = now()
        try {
          return await this.#executor.execute(work, onItem, onLog, signal as AbortSignal)
        } finally {
          this.#context.worked(now() - from)
        }
      },
      share: (value, { run, lane, task, seq }) => {
        const planned = this.plan.tasks.find(({ name }) => name === task)
        const pool = planned ? poolOf(run, planned) : run
        // Of a result that travels along only the preview would be left.
        const limit = planned && isKept(planned) ? MAX_PREVIEW_BYTES : undefined
        return referTo(this.#data, pool, `${task}/${lane}/${seq}`, value, limit)
      },
      pass: (task, item) => this.#pass(task, item),
      abortable: () => {
        const controller = new AbortController()
        return { signal: controller.signal, abort: () => controller.abort() }
      },
    }
  }

  #pass(task: string, item: WireItem): void {
    try {
      this.#context.sendOnFlow(task, toMessage(this.#topics.get(task) ?? task, item))
    } catch (error) {
      this.#log(item.run, 'error', `An item of '${task}' could not go on: ${(error as Error).message}`)
    }
  }

  #log(run: string, level: LogLine['level'], text: string): void {
    this.#context.log(run, { at: this.#context.now(), level, source: 'agent', text })
  }
}
