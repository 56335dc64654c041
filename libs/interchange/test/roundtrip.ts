/** What every import must stand: printed and read again it is the same, without an error. */
import { check, print } from '@hivemind/dsl'
import { edgesOf, type Workflow } from '@hivemind/workflow'
import { expect } from 'vitest'
import { type Imported, projectFiles } from '../src/index.ts'

const sorted = (workflow: Workflow | null) =>
  workflow && { ...workflow, data: [...workflow.data].sort((a, b) => (a.name < b.name ? -1 : 1)) }

/** Prints the workflow with the project's header and reads it again; gives the text. */
export function expectRoundTrip(imported: Imported): string {
  const [file] = projectFiles(imported, print(imported.workflow))
  const text = file?.text ?? ''
  const { workflow, diagnostics } = check(text, { fileExists: () => true })
  // A task without edges is all that is worth a warning.
  expect(diagnostics.filter(({ code }) => code !== 'HM310')).toEqual([])
  expect(sorted(workflow)).toEqual(sorted(imported.workflow))
  return text
}

/** The edges as sorted texts. */
export const edgeTexts = (workflow: Workflow): string[] =>
  edgesOf(workflow)
    .map(({ from, to }) => `${from} -> ${to}`)
    .sort()
