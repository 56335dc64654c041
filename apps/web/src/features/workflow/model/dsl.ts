/** Checks of the text by the DSL library: once per change, with all results together. */
import { type CheckContext, type Diagnostic, openDocument, type TextChange, taskRanges } from '@hivemind/dsl'
import type { Workflow } from '@hivemind/workflow'

export interface Range {
  from: number
  to: number
}

export type Ranges = Readonly<Record<string, Range>>

export interface Meaning {
  /** The checked text. */
  text: string
  workflow: Workflow | null
  diagnostics: Diagnostic[]
  /** Range of the `Task` statement of each task; computed on first use. */
  ranges: () => Ranges
  /** Whether the text has syntax errors, so that the workflow may be incomplete. */
  broken: boolean
}

/** Follows the changes of a text and checks it. */
export function meaningOf(text: string) {
  const document = openDocument(text)
  return {
    update: (changes: TextChange[]): void => document.update(changes),
    check: (context: CheckContext): Meaning => {
      const { workflow, diagnostics } = document.check(context)
      const { text } = document
      return {
        text,
        workflow,
        diagnostics,
        ranges: once(() => taskRanges(text)),
        broken:
          diagnostics.some(({ code, severity }) => code.startsWith('HM1') && severity === 'error') ||
          // Tasks without a TaskGraph. A text without tasks is just empty.
          (!workflow && /\bTask\s*\(/.test(text)),
      }
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
