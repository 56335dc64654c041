import { check } from '@hivemind/dsl'
import { topologicalOrder, type Workflow } from '@hivemind/workflow'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import type { Version } from '../../api/types.ts'
import { type Loaded, useLoad } from '../../api/useLoad.ts'

export interface LoadedWorkflow {
  version: Loaded<Version>
  /** `null` when the version's text does not parse. */
  workflow: Workflow | null
  /** Names of the tasks, parents first. */
  tasks: string[]
}

/** A version of a project and what its text means; nothing is loaded while `number` is unknown. */
export function useWorkflow(project: string, number: number | undefined): LoadedWorkflow {
  const version = useLoad(
    (signal) => (number === undefined ? undefined : api.getVersion(project, number, signal)),
    [project, number],
  )
  const text = version.data?.text
  const workflow = useMemo(() => (text === undefined ? null : check(text).workflow), [text])
  const tasks = useMemo(() => (workflow ? namesInOrder(workflow) : []), [workflow])
  return { version, workflow, tasks }
}

function namesInOrder(workflow: Workflow): string[] {
  try {
    return topologicalOrder(workflow).map((task) => task.name)
  } catch {
    // A cycle: the text is at fault, and says so on the workflow screen.
    return workflow.tasks.map((task) => task.name)
  }
}
