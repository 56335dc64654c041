import type { Workflow } from '@hivemind/workflow'

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

export interface Fix {
  title: string
  changes: TextChange[]
  /** True when it is certain: `hivemind check --fix` takes it without asking. */
  certain: boolean
}

export interface Diagnostic {
  /** Stable, such as `HM101`; listed with its meaning in docs/diagnostics.md. */
  code: string
  severity: Severity
  from: number
  to: number
  /** From 1. */
  line: number
  column: number
  /** A sentence that names what is wrong and how to mend it. */
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
  devices?: readonly string[]
}

export interface CheckResult {
  /** The meaning of the text; `null` while syntax errors leave no task graph to speak of. */
  workflow: Workflow | null
  diagnostics: Diagnostic[]
}
