/** What the text means, asked of the language once per change and kept together. */
import { type CheckContext, type Diagnostic, openDocument, type TextChange, taskRanges } from '@hivemind/dsl'
import type { Workflow } from '@hivemind/workflow'

export interface Range {
  from: number
  to: number
}

export type Ranges = Readonly<Record<string, Range>>

export interface Meaning {
  /** The text that all of this is about. */
  text: string
  workflow: Workflow | null
  diagnostics: Diagnostic[]
  /** The `Task` statement of each task; found when it is first asked for. */
  ranges: () => Ranges
  /** True when the text has faults of syntax, so that what it seems to mean may be less than what is meant. */
  broken: boolean
}

/** Follows a text and says what it means; parses only what changed. */
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
          // Tasks without a graph; a text without tasks is merely empty.
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
