/** The functions that a deployment has. Pure. */
import { functionTasks } from '@hivemind/synthesis'
import type { DeploymentSpec } from '../types.ts'
import type { FunctionWork } from './hosting.ts'

/** Each task that is called, with its code and its board. */
export function functionWorksOf({ synthesis, projectDir, boards }: DeploymentSpec): FunctionWork[] {
  const { plan, bundles } = synthesis
  const byTask = new Map(bundles.map((bundle) => [bundle.task, bundle]))
  return functionTasks(plan).map((task) => {
    const board = boards?.[task.name]
    return {
      workflow: plan.workflow,
      task,
      bundle: byTask.get(task.name),
      projectDir,
      ...(board !== undefined && { board }),
    }
  })
}
