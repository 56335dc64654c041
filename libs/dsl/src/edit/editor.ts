/** A text under edit: its model after every step, and the log of what changed. */

import { ChangeLog } from '../change.ts'
import type { Document } from '../document.ts'
import { buildWorkflow } from '../meaning/build.ts'
import type { Bound, Model, TaskDef } from '../meaning/model.ts'
import { STATEMENTS } from '../meaning/statements.ts'
import { elementInsertion, eolOf, lineEndOf, statementRemoval } from '../syntax/layout.ts'
import { isName } from '../syntax/literal.ts'
import type { Statement } from '../syntax/syntax.ts'
import type { TextChange } from '../types.ts'
import { type QuoteMark, quoteOf } from './refs.ts'

/** An edit that makes no sense, or that the state of the text does not allow; the message says why. */
export class EditError extends Error {
  override readonly name = 'EditError'
}

/** Faults that leave every statement where it is and whole. */
const HARMLESS = new Set(['HM109', 'HM111', 'HM115', 'HM116', 'HM213'])

const GROUPS: readonly (readonly string[])[] = [
  ['TaskGraph'],
  ['Data'],
  ['Task'],
  ['Parallel', 'Overlap', 'Serial'],
  ['Synchronize', 'Schedule', 'Isolate', 'Place', 'Restore', 'Learn', 'Persist'],
]
const groupOf = (head: string) => GROUPS.findIndex((heads) => heads.includes(head))

/** A text under edit. Every change is logged, and the model is read again when it is next needed. */
export class Editor {
  readonly quote: QuoteMark
  private readonly document: Document
  private readonly log: ChangeLog
  private known: Model | undefined

  constructor(document: Document) {
    this.document = document
    this.log = new ChangeLog(document.text)
    this.quote = quoteOf(document.text)
  }

  get text(): string {
    return this.document.text
  }

  /** The model of the text as it is now. Throws an EditError while its syntax is too faulty to edit safely. */
  get model(): Model {
    if (this.known) return this.known
    const { model, report } = this.document.analyse()
    const fault =
      model.source.faults.find(({ code }) => !HARMLESS.has(code)) ??
      (model.source.lossy ? model.source.faults[0] : undefined)
    if (fault)
      throw new EditError(`The text has an error in ${report.where(fault)}: ${fault.message} Fix it first.`)
    this.known = model
    return model
  }

  get workflow() {
    return buildWorkflow(this.model)
  }

  change(changes: readonly TextChange[]) {
    const real = changes.filter(({ from, to, insert }) => this.text.slice(from, to) !== insert)
    if (real.length === 0) return
    this.document.update(real)
    this.log.add(real)
    this.known = undefined
  }

  result(): { text: string; changes: TextChange[] } {
    return { text: this.text, changes: this.log.changes() }
  }

  /** The definition of a task. Throws an EditError when there is none. */
  task(name: string): TaskDef {
    const task = this.model.tasks.find(({ ref }) => ref.name === name)
    if (!task) throw new EditError(`There is no task '${name}'.`)
    return task
  }

  /** Writes the value of an argument, or adds it by its name when it is not written yet. */
  setArgument(bound: Bound, name: string, value: string) {
    const argument = bound.args.get(name) ?? bound.others.find(({ keyword }) => keyword?.text === name)
    if (argument) this.change([{ from: argument.value.from, to: argument.value.to, insert: value }])
    else
      this.change(
        elementInsertion(this.text, bound.statement.args, bound.statement.inner, `${name}=${value}`),
      )
  }

  remove(statement: Statement) {
    this.change([statementRemoval(this.text, statement)])
  }

  /** Adds a statement in house style: behind its like, or between the groups it belongs between. `near` is preferred. */
  insert(head: string, written: string, near?: Statement) {
    const { text } = this
    const { statements } = this.model.source
    const eol = eolOf(text)
    const insert = written.replaceAll('\n', eol)
    const group = groupOf(head)
    const ofGroup = (wanted: number) =>
      statements.findLast((statement) => groupOf(statement.head.text) === wanted)
    let anchor = near ?? ofGroup(group)
    let gap = head === 'Task' ? 2 : 1
    for (let earlier = group - 1; !anchor && earlier >= 0; earlier--) {
      anchor = ofGroup(earlier)
      gap = 2
    }
    if (anchor) {
      let at = lineEndOf(text, anchor.to)
      // A line may hold several statements, the last of which may end on another line.
      for (const other of statements) if (other.from < at && other.to > at) at = lineEndOf(text, other.to)
      this.change([{ from: at, to: at, insert: eol.repeat(gap) + insert }])
      return
    }
    const first = statements[0]
    if (first) {
      this.change([{ from: first.from, to: first.from, insert: insert + eol + eol }])
      return
    }
    const empty = /^[\s\ufeff]*$/.test(text)
    const before = empty ? '' : /[\r\n]$/.test(text) ? eol : eol + eol
    this.change([{ from: text.length, to: text.length, insert: before + insert + eol }])
  }
}

/** Throws an EditError unless `name` can be the name of a task or of data. */
export function demandName(name: string, what: string) {
  if (!isName(name))
    throw new EditError(
      `'${name}' cannot be the name of a ${what}: use letters from A to Z, digits and '_', not starting with a digit, at most 100.`,
    )
}

/** The names of the arguments that every Task has. */
export const TASK_PARAMETERS: ReadonlySet<string> = new Set(
  STATEMENTS.get('Task')?.parameters.map(({ name }) => name),
)
