/** Checks of the text by the DSL library: once per change, with all results together. */
import {
  applyEdit,
  type CheckContext,
  type Diagnostic,
  type GraphEdit,
  openDocument,
  type TextChange,
  taskRanges,
} from '@hivemind/dsl'
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

/** Meanings of earlier texts that are kept, so that undo and redo need not check anything. */
const MAX_KEPT = 12

/** Follows the changes of a text and checks it. */
export function meaningOf(text: string) {
  let document = openDocument(text)
  /** The last meanings by their text, each with its document. Those of another context are dropped. */
  const kept = new Map<string, { meaning: Meaning; document: ReturnType<typeof openDocument> }>()
  let keptFor: CheckContext | undefined
  return {
    update: (changes: TextChange[]): void => document.update(changes),
    /** The changes that an edit of the graph makes in the text. Throws an EditError that says why when it cannot be made. */
    changesOf: (edit: GraphEdit): TextChange[] => applyEdit(document, edit).changes,
    check: (context: CheckContext): Meaning => {
      if (keptFor !== context) kept.clear()
      keptFor = context
      const { text } = document
      const known = kept.get(text)
      if (known) {
        document = known.document.copy()
        return known.meaning
      }
      const { workflow, diagnostics } = document.check(context)
      const checked = document.copy()
      const meaning = {
        text,
        workflow,
        diagnostics,
        ranges: once(() => taskRanges(checked)),
        broken:
          diagnostics.some(({ code, severity }) => code.startsWith('HM1') && severity === 'error') ||
          // Tasks without a TaskGraph. A text without tasks is just empty.
          (!workflow && /\bTask\s*\(/.test(text)),
      }
      kept.set(text, { meaning, document: checked })
      const [oldest] = kept.keys()
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
      return meaning
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
