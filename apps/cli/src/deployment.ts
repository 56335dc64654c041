/** What the commands that start a deployment have in common: what must be there first, and whose fault a failure is. */
import { ClusterError, ProjectError, type TargetKind } from '@hivemind/deploy'
import { type Plan, SynthesisError } from '@hivemind/synthesis'
import { requireRuntime, TaskError } from '@hivemind/task-runner'
import { otherFault, workflowFault } from './failure.ts'

/** Refuses to go on when this machine cannot run the code of a task, whatever it says: that is not the workflow's fault. */
export async function requireRuntimes({ tasks }: Plan, target: TargetKind = 'local'): Promise<void> {
  const here = tasks.filter(({ tier }) => target === 'local' || tier !== 'cloud')
  for (const runtime of new Set(here.map((task) => task.runtime))) {
    const task = here.find((one) => one.runtime === runtime)
    if (task)
      await requireRuntime(task.name, runtime).catch((error: Error) => {
        throw otherFault(error.message)
      })
  }
}

/**
 * What a deployment rejected with, as a failure with a sentence; an error of our own making stays what it is.
 * `otherwise` says whose fault a plain sentence is.
 */
export function deploymentFault(error: unknown, otherwise = otherFault): unknown {
  if (error instanceof TaskError)
    return workflowFault([error.message, error.detail.trimEnd()].filter((part) => part !== '').join('\n'))
  if (error instanceof ProjectError || error instanceof SynthesisError) return workflowFault(error.message)
  if (error instanceof ClusterError) return otherFault(error.message)
  // Errors of our own making are of other classes: TypeError, RangeError and the like.
  if (error instanceof Error && error.constructor === Error) return otherwise(error.message)
  return error
}
