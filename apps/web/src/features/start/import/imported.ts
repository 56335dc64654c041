/** What an import makes of a file. Pure: it runs in a worker, for a trace may be large. */
import { check, print } from '@hivemind/dsl'
import { projectFiles, readTrace } from '@hivemind/interchange'
import type { Profile } from '@hivemind/swarm'

export interface ImportedProject {
  name: string
  /** The workflow's text. */
  text: string
  profile: Profile
  /** The code of the tasks and the README, beside the workflow and its profile. */
  files: { path: string; text: string }[]
  tasks: number
  edges: number
  /** What could not be carried over as it was, in sentences. */
  notes: string[]
}

/**
 * A WfCommons instance or a Standard Task Graph as the parts of a project.
 * @throws Error with a sentence that says what is wrong with the file, and where
 */
export function importedProject(trace: string, fileName: string): ImportedProject {
  const imported = readTrace(trace, fileName)
  const { name, workflow, profile, notes } = imported
  const [{ text } = { text: '' }, , ...files] = projectFiles(imported, print(workflow))
  const fault = check(text, { fileExists: () => true }).diagnostics.find(
    ({ severity }) => severity === 'error',
  )
  if (fault)
    throw new Error(
      `It makes a workflow that is more than the language takes; line ${fault.line}: ${fault.message}`,
    )
  const edges = workflow.tasks.reduce((sum, task) => sum + task.children.length, 0)
  return { name, text, profile, files, tasks: workflow.tasks.length, edges, notes }
}
