/** HM5xx: relations between two tasks, and barriers. */
import type { Ref, RelationDef } from '../meaning/model.ts'
import { statementRemoval } from '../syntax/layout.ts'
import type { Span } from '../syntax/syntax.ts'
import { type Checked, renameFix } from './context.ts'

export function checkRelations(checked: Checked) {
  const { text, model, report, tasks } = checked
  const pairs = new Map<string, RelationDef>()
  for (const relation of model.relations) {
    const { a, b, kind, bound } = relation
    const known = [a, b].filter((ref) => isKnown(checked, ref, bound.statement, 'HM501'))
    if (a.name === b.name) {
      report.add('HM502', b, `A ${bound.spec.head} needs two different tasks; name another one here.`)
      continue
    }
    const pair = [a.name, b.name].sort().join(' ')
    const before = pairs.get(pair)
    if (!before) pairs.set(pair, relation)
    else if (before.kind !== kind)
      report.add(
        'HM503',
        bound.statement,
        `'${a.name}' and '${b.name}' are ${before.bound.spec.head} in ${report.where(before.bound.statement)}; they cannot be ${bound.spec.head} too. Keep one.`,
        {
          fixes: () => [
            { title: 'Remove this one', certain: false, changes: [statementRemoval(text, bound.statement)] },
          ],
        },
      )
    else if (kind !== 'serial' || before.a.name === a.name)
      report.add(
        'HM505',
        bound.statement,
        `This is said in ${report.where(before.bound.statement)} already; remove it.`,
        {
          fixes: () => [
            { title: 'Remove it', certain: true, changes: [statementRemoval(text, bound.statement)] },
          ],
        },
      )
    else
      report.add(
        'HM503',
        bound.statement,
        `Serial puts '${b.name}' before '${a.name}' in ${report.where(before.bound.statement)} and after it here; keep one.`,
        {
          fixes: () => [
            { title: 'Remove this one', certain: false, changes: [statementRemoval(text, bound.statement)] },
          ],
        },
      )
    if (known.length === 2 && tasks.has(a.name) && tasks.has(b.name) && checked.ordered && !before)
      checkOrder(checked, relation)
  }
  checkBarriers(checked)
}

/** Whether the task is defined; reports when it is not. */
export function isKnown(
  { text, report, definitions }: Checked,
  ref: Ref,
  statement: Span,
  code: 'HM501' | 'HM601',
): boolean {
  if (definitions.has(ref.name)) return true
  const meant = report.nearest(ref.name, definitions.keys())
  report.add(
    code,
    ref,
    `There is no task '${ref.name}'; ${meant ? `did you mean '${meant}'?` : 'define it, or remove this statement.'}`,
    {
      fixes: meant
        ? [renameFix(text, ref, meant, true)]
        : [{ title: 'Remove this statement', certain: false, changes: [statementRemoval(text, statement)] }],
    },
  )
  return false
}

function checkOrder({ text, report, runsBefore }: Checked, { a, b, kind, bound }: RelationDef) {
  const aAfterB = runsBefore(b.name, a.name)
  if (kind === 'serial') {
    if (aAfterB)
      report.add(
        'HM504',
        bound.statement,
        `Serial says that '${a.name}' ends before '${b.name}' starts, but in the graph '${a.name}' runs after '${b.name}'; swap them.`,
        {
          fixes: [
            {
              title: 'Swap the two tasks',
              certain: false,
              changes: [
                { from: a.from, to: a.to, insert: text.slice(b.from, b.to) },
                { from: b.from, to: b.to, insert: text.slice(a.from, a.to) },
              ],
            },
          ],
        },
      )
  } else if (kind === 'parallel' && (aAfterB || runsBefore(a.name, b.name)))
    report.add(
      'HM506',
      bound.statement,
      `The graph lets '${aAfterB ? a.name : b.name}' run after '${aAfterB ? b.name : a.name}'; they run together only on different items of a stream. If that is meant, Overlap says so.`,
    )
}

function checkBarriers({ text, model, report, tasks, context }: Checked) {
  for (const directive of model.directives) {
    if (directive.key !== 'synchronize') continue
    const task = tasks.get(directive.task.name)
    if (!task) continue
    const { statement, spec } = directive.bound
    if (task.parents.length === 0) {
      const index = statement.args.findIndex((argument) => argument.value.from === directive.span.from)
      const changes =
        spec.head === 'Task' ? report.removal(statement.args, index) : [statementRemoval(text, statement)]
      report.add(
        'HM507',
        directive.span,
        `'${task.name}' has no parents, so there is nothing to wait for; give it a parent, or remove the barrier.`,
        {
          task: task.name,
          fixes: () => [{ title: 'Remove the barrier', certain: false, changes }],
        },
      )
    }
    const condition = task.directives.synchronize
    if (condition?.kind === 'count' && context.devices && context.devices.length > 0) {
      // A stream may bring any number of results; objects bring one for each parent and device.
      const most = task.parents.length * context.devices.length
      const objects = task.parents.every((parent) =>
        model.data.some(
          (data) => data.ref.name === tasks.get(parent)?.dataOut && data.fields.kind === 'object',
        ),
      )
      if (objects && task.parents.length > 0 && condition.count > most)
        report.add(
          'HM508',
          directive.span,
          `'${task.name}' waits for ${condition.count} results, but its parents produce ${most} on ${context.devices.length} devices; wait for fewer, or for 'all'.`,
          { task: task.name },
        )
    }
  }
}
