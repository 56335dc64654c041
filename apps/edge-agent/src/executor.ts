/** Runs the task code of one deployment, each task in a process of its own. */

import type { DesiredDeployment, LogLine } from '@hivemind/agent-protocol'
import type { DeviceWork, EmittedValue, TaskInputRef, WorkError, WorkResult } from '@hivemind/orchestrator'
import { edgeTasks, type Plan } from '@hivemind/synthesis'
import {
  assignCores,
  createTaskRunner,
  keptState,
  TaskError,
  type TaskInput,
  type TaskRunner,
} from '@hivemind/task-runner'
import { type DataPort, refSize } from '@hivemind/values'

/** Media type and bytes of a barrier's item that has no value. */
const NO_VALUE = { type: 'application/cbor', bytes: new Uint8Array([0xf6]) }

export class Executor {
  readonly #runners = new Map<string, TaskRunner>()
  readonly #data: DataPort

  /**
   * `dirs`: folder of each task's unpacked bundle; `scratch`: that of tasks without one. `given`: the cores of this agent
   * where others share the machine; without it, all are its own.
   */
  constructor(
    plan: Plan,
    dirs: Record<string, string>,
    scratch: string,
    data: DataPort,
    given?: DesiredDeployment['cores'],
  ) {
    this.#data = data
    const tasks = edgeTasks(plan)
    const cores = given
      ? { isolated: new Map(Object.entries(given.isolated)), shared: given.shared }
      : assignCores(tasks.filter(({ isolate }) => isolate).map(({ name }) => name))
    for (const task of tasks) {
      const own = cores.isolated.get(task.name)
      this.#runners.set(
        task.name,
        createTaskRunner({
          task: task.name,
          runtime: task.runtime,
          dir: dirs[task.name] ?? scratch,
          code: task.code,
          args: task.args,
          memoryMB: task.memoryMB,
          ...(task.network && { network: true }),
          ...keptState(task.stateKey),
          ...(task.outputType === undefined ? {} : { outputType: task.outputType }),
          ...(given || cores.isolated.size > 0 ? { cores: own === undefined ? cores.shared : [own] } : {}),
        }),
      )
    }
  }

  /** Starts the tasks' processes one after the other, ahead of need. What cannot load fails when it is called. */
  async warm(): Promise<void> {
    for (const runner of this.#runners.values()) await runner.warm().catch(() => {})
  }

  /** Calls a task; rejects with a `WorkError`. `onItem` resolves when the next item may come. */
  async execute(
    work: DeviceWork,
    onItem: (item: EmittedValue, index: number) => Promise<void>,
    onLog: (level: LogLine['level'], text: string) => void,
    signal: AbortSignal,
  ): Promise<WorkResult> {
    const { task, run, lane, deviceIndex, devices, seq, maxItems, traceparent } = work
    // From a checkpoint the code goes on; without one it begins anew, and what was emitted before is passed over.
    const generates = task.kindIn === 'object' && task.kindOut === 'stream'
    const resumes = work.state !== null && task.restore === 'checkpoint'
    const skip = generates && !resumes ? work.firstItem : 0
    const runner = this.#runners.get(task.name)
    if (!runner) throw failure('load', `The agent has no code for the task '${task.name}'.`)
    const sizes = { bytes: 0 }
    const inputs = await this.#resolve(work.inputs, sizes)
    try {
      const result = await runner.invoke({
        inputs,
        context: {
          run,
          task: task.name,
          device: lane,
          deviceIndex,
          devices,
          seq,
          traceparent,
          ...(Number.isFinite(maxItems) ? { maxItems: maxItems + skip } : {}),
        },
        state: work.state,
        ...(task.paceMs === undefined ? {} : { paceMs: task.paceMs }),
        timeoutMs: task.timeoutMs,
        signal,
        onLog,
        onItem: async ({ value, state }, index) => {
          if (index >= skip) await onItem({ value, ...(state ? { state } : {}) }, index - skip)
        },
      })
      return {
        items: Math.max(0, result.items - skip),
        executionMs: result.executionMs,
        waitedMs: result.waitedMs,
        callMs: result.callMs,
        bytesIn: sizes.bytes,
        ...(result.state ? { state: result.state } : {}),
      }
    } catch (error) {
      if (error instanceof TaskError) throw failure(error.kind, error.message, error.detail)
      throw failure('crash', (error as Error).message)
    }
  }

  /** Ends every process of a task. */
  async close(): Promise<void> {
    await Promise.all([...this.#runners.values()].map((runner) => runner.close()))
  }

  async #resolve(
    refs: Record<string, TaskInputRef>,
    sizes: { bytes: number },
  ): Promise<Record<string, TaskInput>> {
    const inputs: Record<string, TaskInput> = {}
    for (const [name, input] of Object.entries(refs)) inputs[name] = await this.#resolveOne(input, sizes)
    return inputs
  }

  async #resolveOne(input: TaskInputRef, sizes: { bytes: number }): Promise<TaskInput> {
    try {
      if (input.kind === 'none') return { kind: 'none' }
      if (input.kind === 'one') {
        sizes.bytes += refSize(input.ref)
        return { kind: 'one', value: await this.#data.get(input.ref) }
      }
      const items = await Promise.all(
        input.items.map(async ({ device, seq, ref }) => {
          if (ref) sizes.bytes += refSize(ref)
          return { device, seq, value: ref ? await this.#data.get(ref) : NO_VALUE }
        }),
      )
      return { kind: 'many', items }
    } catch (error) {
      throw failure('value', `Its input cannot be read: ${(error as Error).message}`)
    }
  }
}

function failure(kind: WorkError['kind'], message: string, detail = ''): WorkError {
  return { kind, message, detail }
}
