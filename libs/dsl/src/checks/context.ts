/** What every check is given. */
import type { Kinds, Scope, Task, Workflow } from '@hivemind/workflow'
import type { QuoteMark } from '../edit/refs.ts'
import type { Model, Ref, TaskDef } from '../meaning/model.ts'
import type { Report } from '../meaning/report.ts'
import type { Span } from '../syntax/syntax.ts'
import type { CheckContext, Fix } from '../types.ts'

/** The model and the workflow of a text, with what several checks need of them. */
export interface Checked {
  text: string
  model: Model
  workflow: Workflow
  report: Report
  context: CheckContext
  /** The first definition of each task, and what it became. */
  definitions: ReadonlyMap<string, TaskDef>
  tasks: ReadonlyMap<string, Task>
  /** The quote the text uses most. */
  quote: QuoteMark
  /** Whether a task runs before another, directly or not; false for all where the graph has a cycle. */
  runsBefore: (name: string, other: string) => boolean
  /** False when the graph has a cycle: what depends on an order is then not checked. */
  ordered: boolean
  /** Kinds and scopes of the tasks; `null` when the graph has a cycle. */
  kinds: ReadonlyMap<string, Kinds> | null
  scopes: ReadonlyMap<string, Scope> | null
}

/** Writes a name in place of another, in quotes where the other has them. */
export function renameFix(text: string, ref: Ref, name: string, certain: boolean): Fix {
  const inner: Span = ref.quoted ? { from: ref.from + 1, to: ref.to - 1 } : ref
  const simple = text.slice(inner.from, inner.to) === ref.name
  const change = simple ? { ...inner, insert: name } : { from: ref.from, to: ref.to, insert: `'${name}'` }
  return {
    title: `Write '${name}'`,
    certain,
    changes: [{ from: change.from, to: change.to, insert: change.insert }],
  }
}
