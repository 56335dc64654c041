/** Whether an edit left alone what it does not concern. */
import { analyse } from '../src/analysis.ts'
import type { GraphEdit } from '../src/edits.ts'
import type { Bound, Model } from '../src/meaning/model.ts'
import type { Span } from '../src/syntax/syntax.ts'
import type { TextChange } from '../src/types.ts'

/** Sentences about what the changes touched and should not have. */
export function trespasses(text: string, edit: GraphEdit, changes: readonly TextChange[]): string[] {
  const { model } = analyse(text)
  const concerned = concernedBy(edit, model)
  const found: string[] = []
  for (const statement of model.source.statements) {
    if (concerned.has(statement.from)) continue
    const change = changes.find(({ from, to }) => from < statement.to && to > statement.from)
    if (change) found.push(`changed ${text.slice(statement.from, statement.to)}`)
  }
  const outside = (span: Span) =>
    !model.source.statements.some(
      (one) => concerned.has(one.from) && span.from >= one.from && span.to <= one.to,
    )
  for (const gap of gapsOf(model).filter(outside))
    for (const change of changes) {
      const from = Math.max(change.from, gap.from)
      const to = Math.min(change.to, gap.to)
      if (from < to && /[^\s;]/.test(text.slice(from, to))) found.push(`took away '${text.slice(from, to)}'`)
    }
  return found
}

/** What lies between tokens: blanks and comments. */
function gapsOf({ source: { text, tokens } }: Model): Span[] {
  const ends = [0, ...tokens.map((token) => token.to)]
  const starts = [...tokens.map((token) => token.from), text.length]
  return ends.map((from, index) => ({ from, to: starts[index] ?? from }))
}

function concernedBy(edit: GraphEdit, model: Model): Set<number> {
  const starts = new Set<number>()
  const add = (...bounds: (Bound | undefined)[]) => {
    for (const bound of bounds) if (bound) starts.add(bound.statement.from)
  }
  const task = (name: string) =>
    add(...model.tasks.filter(({ ref }) => ref.name === name).map(({ bound }) => bound))
  const mentions = (refs: readonly Span[]) => {
    for (const { from, to } of model.source.statements)
      if (refs.some((ref) => from <= ref.from && ref.to <= to)) starts.add(from)
  }
  switch (edit.kind) {
    case 'addTask':
      add(...model.graphs)
      for (const name of [...(edit.task.parents ?? []), ...(edit.task.children ?? [])]) task(name)
      break
    case 'removeTask':
    case 'renameTask':
      mentions([...model.taskRefs, ...model.bareNames].filter(({ name }) => name === edit.task))
      break
    case 'renameData':
      mentions([...model.dataRefs, ...model.bareNames].filter(({ name }) => name === edit.data))
      break
    case 'connect':
    case 'disconnect':
      task(edit.from)
      task(edit.to)
      break
    case 'setRelation':
      add(
        ...model.relations
          .filter(({ a, b }) => [a.name, b.name].sort().join() === [edit.a, edit.b].sort().join())
          .map(({ bound }) => bound),
      )
      break
    case 'setConstraint':
      add(...model.graphs)
      break
    case 'setData':
      add(...model.data.filter(({ ref }) => ref.name === edit.data).map(({ bound }) => bound))
      break
    case 'setDirective':
      task(edit.task)
      add(
        ...model.directiveStatements
          .filter(
            (one) => one.task.name === edit.task && one.bound.spec.head.toLowerCase() === edit.directive,
          )
          .map(({ bound }) => bound),
      )
      break
    case 'batch':
      for (const one of edit.edits) for (const start of concernedBy(one, model)) starts.add(start)
      break
    default:
      task(edit.task)
  }
  return starts
}
