/** A text that changes: an editor's document. */
import { type Analysis, analyse, conclude } from './analysis.ts'
import { applyChanges } from './change.ts'
import type { CheckContext, CheckResult, Fix, TextChange } from './types.ts'

/** A workflow text that is edited and checked repeatedly, as in an editor. */
export interface DslDocument {
  readonly text: string
  /** Applies changes, whose positions are in the current text. Throws a RangeError when they do not fit it. */
  update(changes: readonly TextChange[]): void
  /** What `check` gives for the current text. */
  check(context?: CheckContext): CheckResult
  /** A document with the current text, which changes of this one do not reach. The text is not read again. */
  copy(): DslDocument
}

/** Opens a text for repeated checks and changes. */
export function openDocument(text: string): DslDocument {
  return new Document(text)
}

/** The document as the edits use it, with its model. A text is read once, when it is first needed. */
export class Document implements DslDocument {
  #text: string
  #analysis: Analysis | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** The document itself, or a new one with that text. */
  static of(document: string | DslDocument): Document {
    if (document instanceof Document) return document
    return new Document(typeof document === 'string' ? document : document.text)
  }

  copy(): Document {
    const copy = new Document(this.#text)
    copy.#analysis = this.#analysis
    return copy
  }

  get text(): string {
    return this.#text
  }

  update(changes: readonly TextChange[]) {
    this.#text = applyChanges(this.#text, changes)
    this.#analysis = undefined
  }

  analyse(): Analysis {
    this.#analysis ??= analyse(this.#text)
    return this.#analysis
  }

  check(context?: CheckContext): CheckResult {
    return conclude(this.analyse(), context)
  }
}

/** Passes of `fixAll`. Each takes all certain fixes that do not overlap, so a real text needs only a few. */
const MAX_PASSES = 200

/**
 * Takes certain fixes until none is left, errors of syntax first.
 * Returns the text and the fixes that were taken, in that order; their positions are in the text each was taken in.
 */
export function fixAll(text: string, context?: CheckContext): { text: string; applied: Fix[] } {
  const document = new Document(text)
  const applied: Fix[] = []
  const seen = new Set([text])
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const before = document.text
    const fixes = document
      .check(context)
      .diagnostics.flatMap((diagnostic) => diagnostic.fixes.find((fix) => fix.certain) ?? [])
    const taken = withoutOverlap(fixes)
    if (taken.length === 0) break
    document.update(taken.flatMap((fix) => fix.changes))
    applied.push(...taken)
    if (seen.has(document.text))
      return { text: before, applied: applied.slice(0, applied.length - taken.length) }
    seen.add(document.text)
  }
  return { text: document.text, applied }
}

/** The first of those fixes that touch one place; the others are found again in the next pass, if they still apply. */
function withoutOverlap(fixes: readonly Fix[]): Fix[] {
  const taken: Fix[] = []
  const used: TextChange[] = []
  for (const fix of fixes) {
    if (
      fix.changes.some((change) => used.some((other) => change.from <= other.to && other.from <= change.to))
    )
      continue
    taken.push(fix)
    used.push(...fix.changes)
  }
  return taken
}
