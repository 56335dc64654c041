import { check } from '@hivemind/dsl'
import { topologicalOrder, type Workflow } from '@hivemind/workflow'
import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import type { Version } from '../../api/types.ts'
import { type Loaded, useLoad } from '../../api/useLoad.ts'

/** A version of a project with its workflow. */
export interface LoadedWorkflow {
  version: Loaded<Version>
  /** `null` when the version's text does not parse. */
  workflow: Workflow | null
  /** Names of the tasks, parents first. */
  tasks: string[]
}

/** Loads a version of a project and parses its text. Loads nothing while `number` is `undefined`. */
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
    // The workflow has a cycle, which the Workflow screen reports.
    return workflow.tasks.map((task) => task.name)
  }
}
