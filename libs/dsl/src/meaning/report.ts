/** Collects diagnostics and gives them their line, column and severity. */
import { CODES } from '../codes.ts'
import { type Element, elementRemoval } from '../syntax/layout.ts'
import type { Span } from '../syntax/syntax.ts'
import type { Diagnostic, Fix, Severity, TextChange } from '../types.ts'
import type { Ref } from './model.ts'
import { nearest } from './names.ts'

/** What a diagnostic may have besides its code, place and message. */
export interface Finding {
  /** A function where fixes take time to compute; it is not called for reports that are left out. */
  fixes?: Fix[] | (() => Fix[])
  task?: string | undefined
  severity?: Severity | undefined
}

/** Reports with one code beyond this number are left out; they appear when the first ones are fixed. */
export const MAX_REPORTS_PER_CODE = 500

/** Collects the diagnostics of one text. */
export class Report {
  private readonly counts = new Map<string, number>()
  private readonly diagnostics: Omit<Diagnostic, 'line' | 'column'>[] = []
  private readonly starts: number[]
  /** Name comparisons left. A text with thousands of wrong names must not stall the editor. */
  private comparisonsLeft = 1_000_000
  readonly text: string
  /** Every name that was read, for renaming. */
  readonly refs: Record<'task' | 'data', Ref[]>

  constructor(text: string, before?: Report) {
    this.text = text
    this.starts = before?.starts ?? lineStarts(text)
    this.refs = before?.refs ?? { task: [], data: [] }
  }

  /** A report that goes on from this one, which stays as it is. */
  continued(): Report {
    const next = new Report(this.text, this)
    for (const [code, count] of this.counts) next.counts.set(code, count)
    next.diagnostics.push(...this.diagnostics)
    next.comparisonsLeft = this.comparisonsLeft
    return next
  }

  /** The known name that `word` most likely stands for; `null` when none is near or no comparisons are left. */
  nearest(word: string, known: Iterable<string>, except?: string): string | null {
    if (this.comparisonsLeft < 0) return null
    const candidates = [...known].filter((candidate) => candidate !== except)
    this.comparisonsLeft -= candidates.length
    return nearest(word, candidates)
  }

  /** `line 12`, for messages that name another place. */
  where(span: Span): string {
    return `line ${lineOf(this.starts, span.from) + 1}`
  }

  /** The changes that take an element out of a list or a statement. */
  removal(elements: readonly Element[], index: number): TextChange[] {
    return elementRemoval(this.text, elements, index)
  }

  add(code: string, span: Span, message: string, { fixes = [], task, severity }: Finding = {}) {
    const count = (this.counts.get(code) ?? 0) + 1
    this.counts.set(code, count)
    if (count > MAX_REPORTS_PER_CODE) return
    this.diagnostics.push({
      code,
      severity: severity ?? CODES[code]?.severity ?? 'error',
      from: span.from,
      to: Math.max(span.from, span.to),
      message,
      fixes: typeof fixes === 'function' ? fixes() : fixes,
      ...(task === undefined ? {} : { task }),
    })
  }

  /** In the order of the text; at one place errors first. */
  finish(owners: readonly (Span & { task: string })[]): Diagnostic[] {
    const sorted = [...owners].sort((a, b) => a.from - b.from)
    const ownerStarts = sorted.map(({ from }) => from)
    const { starts } = this
    const rank = { error: 0, warning: 1, hint: 2 }
    return this.diagnostics
      .map((diagnostic) => {
        const line = lineOf(starts, diagnostic.from)
        const owner = sorted[lineOf(ownerStarts, diagnostic.from)]
        const inside = owner && owner.from <= diagnostic.from && diagnostic.from <= owner.to
        return {
          ...(inside ? { task: owner.task } : {}),
          ...diagnostic,
          line: line + 1,
          column: diagnostic.from - (starts[line] ?? 0) + 1,
        }
      })
      .sort(
        (a, b) =>
          a.from - b.from ||
          rank[a.severity] - rank[b.severity] ||
          a.to - b.to ||
          (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
      )
  }
}

/** A fix that replaces one stretch of text. */
export const replace = (title: string, span: Span, insert: string, certain: boolean): Fix => ({
  title,
  certain,
  changes: [{ from: span.from, to: span.to, insert }],
})

/** The offsets where lines start; a line ends with LF, CRLF or CR. */
export function lineStarts(text: string): number[] {
  const starts = [0]
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length)
  return starts
}

/** The line of an offset, from 0. */
export function lineOf(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
