/** Conversion of a trace to the parts of a project. Pure; runs in a worker, since traces may be large. */
import { check, print } from '@hivemind/dsl'
import { projectFiles, readTrace } from '@hivemind/interchange'
import type { Profile } from '@hivemind/swarm'

/** The parts of a project made from a trace. */
export interface TraceProject {
  name: string
  /** The workflow's text. */
  text: string
  profile: Profile
  /** The code of the tasks and the README, beside the workflow and its profile. */
  files: { path: string; text: string }[]
  tasks: number
  edges: number
  /** Differences from the trace, one sentence each. */
  notes: string[]
}

/**
 * Converts a WfCommons instance or a Standard Task Graph to the parts of a project.
 * @throws Error with a sentence that says what is wrong with the file, and where
 */
export function traceProject(trace: string, fileName: string): TraceProject {
  const imported = readTrace(trace, fileName)
  const { name, workflow, profile, notes } = imported
  const [{ text } = { text: '' }, , ...files] = projectFiles(imported, print(workflow))
  const error = check(text, { fileExists: () => true }).diagnostics.find(
    ({ severity }) => severity === 'error',
  )
  if (error)
    throw new Error(
      `The HiveMind language cannot express this workflow. Line ${error.line}: ${error.message}`,
    )
  const edges = workflow.tasks.reduce((sum, task) => sum + task.children.length, 0)
  return { name, text, profile, files, tasks: workflow.tasks.length, edges, notes }
}
