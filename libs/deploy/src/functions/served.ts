/** A task of a plan as a function host is told of it. Pure. */
import type { Bundle, PlanTask } from '@hivemind/synthesis'
import { keptState, type ServedTask } from '@hivemind/task-runner'

/** What of a task is the same wherever its function runs. */
export function servedTask(task: PlanTask, bundle: Bundle | undefined): Omit<ServedTask, 'dir' | 'cores'> {
  return {
    task: task.name,
    runtime: task.runtime,
    code: task.code,
    args: task.args,
    memoryMB: task.memoryMB,
    ...(task.network && { network: true }),
    dataIn: task.dataIn,
    dataOut: task.dataOut,
    emits: task.kindIn === 'object' && task.kindOut === 'stream' ? 'many' : 'one',
    timeoutMs: task.timeoutMs,
    ...(task.outputType !== undefined && { outputType: task.outputType }),
    ...keptState(task.stateKey),
    ...(bundle && { files: bundle.files.map(({ path, hash }) => ({ path, hash })) }),
  }
}
