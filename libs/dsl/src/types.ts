import type { Workflow } from '@hivemind/workflow'

/**
 * How serious a diagnostic is. A text with an error cannot be deployed; a warning points at a likely mistake, a hint at
 * style.
 */
export type Severity = 'error' | 'warning' | 'hint'

/** Replace `[from, to)` by `insert`; positions are UTF-16 offsets into the text before any change of the same list. */
export interface TextChange {
  from: number
  to: number
  insert: string
}

/** What a `Data` statement says, as it is written. */
export interface DataFields {
  kind?: 'object' | 'stream'
  type?: string
  size?: string
  rate?: string
  stays?: 'device'
}

/** A change of the text that removes the cause of a diagnostic, with a title for a menu. */
export interface Fix {
  title: string
  changes: TextChange[]
  /** True when it is certain: `hivemind check --fix` takes it without asking. */
  certain: boolean
}

/**
 * Something wrong with a range of the text: offsets `[from, to)` in UTF-16 units, and line and column of `from`, both
 * from 1.
 */
export interface Diagnostic {
  /** Stable, such as `HM101`; listed with its meaning in docs/diagnostics.md. */
  code: string
  severity: Severity
  from: number
  to: number
  /** From 1. */
  line: number
  column: number
  /** A sentence that names what is wrong and how to fix it. */
  message: string
  fixes: Fix[]
  /** The task it concerns, for the canvas. */
  task?: string
}

/** What the checks know of the world outside the text; each part is optional and its checks are skipped without it. */
export interface CheckContext {
  /** Whether a path relative to the workflow file exists. */
  fileExists?: (path: string) => boolean
  deviceClasses?: readonly string[]
  /** Names of edge nodes: `Place(task, 'Edge:NAME')` puts a task on the machines that serve devices. */
  edgeNodes?: readonly string[]
  devices?: readonly string[]
}

/** What `check` finds in a text: its meaning, and every diagnostic in the order of the text. */
export interface CheckResult {
  /** The meaning of the text; `null` while syntax errors leave no task graph to speak of. */
  workflow: Workflow | null
  diagnostics: Diagnostic[]
}
