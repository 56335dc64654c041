/** HM501 to HM506, HM509: relations between two tasks. */
import type { Bound, Ref, RelationDef } from '../meaning/model.ts'
import { statementRemoval } from '../syntax/layout.ts'
import type { Span } from '../syntax/syntax.ts'
import type { Fix } from '../types.ts'
import { type Checked, renameFix } from './context.ts'
import { checkSerials } from './serial.ts'

/** Reports relations over unknown tasks, contradictions between them and with the graph, and useless ones. */
export function checkRelations(checked: Checked) {
  const { text, model, report, tasks } = checked
  const pairs = new Map<string, RelationDef>()
  const serials: RelationDef[] = []
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
        { fixes: () => [removalOf(text, bound, 'Remove this one', false)] },
      )
    else if (relation.scope !== before.scope)
      report.add(
        'HM503',
        bound.statement,
        `Serial in ${report.where(before.bound.statement)} is for ${scopeText(before)}, this one for ${scopeText(relation)}; keep one.`,
        { fixes: () => [removalOf(text, bound, 'Remove this one', false)] },
      )
    else if (kind !== 'serial' || before.a.name === a.name)
      report.add(
        'HM505',
        bound.statement,
        `This is said in ${report.where(before.bound.statement)} already; remove it.`,
        { fixes: () => [removalOf(text, bound, 'Remove it', true)] },
      )
    else
      report.add(
        'HM503',
        bound.statement,
        `Serial puts '${b.name}' before '${a.name}' in ${report.where(before.bound.statement)} and after it here; keep one.`,
        { fixes: () => [removalOf(text, bound, 'Remove this one', false)] },
      )
    if (known.length === 2 && tasks.has(a.name) && tasks.has(b.name) && checked.ordered && !before) {
      const isPossible = checkOrder(checked, relation)
      if (kind === 'serial' && isPossible) serials.push(relation)
    }
  }
  checkSerials(checked, serials)
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

const scopeText = ({ scope }: RelationDef) => (scope ? 'the whole swarm' : 'each device')

const removalOf = (text: string, { statement }: Bound, title: string, certain: boolean): Fix => ({
  title,
  certain,
  changes: [statementRemoval(text, statement)],
})

const swapOf = (text: string, { a, b }: Pick<RelationDef, 'a' | 'b'>): Fix => ({
  title: 'Swap the two tasks',
  certain: false,
  changes: [
    { from: a.from, to: a.to, insert: text.slice(b.from, b.to) },
    { from: b.from, to: b.to, insert: text.slice(a.from, a.to) },
  ],
})

/** Holds a relation against the graph; false when the graph refuses it. */
function checkOrder(checked: Checked, relation: RelationDef): boolean {
  const { text, report, runsBefore } = checked
  const { a, b, kind, bound } = relation
  const aAfterB = runsBefore(b.name, a.name)
  if (kind === 'serial' && aAfterB) {
    report.add(
      'HM504',
      bound.statement,
      `Serial says that '${a.name}' ends before '${b.name}' starts, but in the graph '${a.name}' runs after '${b.name}'; swap them.`,
      { fixes: [swapOf(text, relation)] },
    )
    return false
  }
  if (kind === 'parallel' && (aAfterB || runsBefore(a.name, b.name))) {
    reportOrderedParallel(checked, relation, aAfterB ? [b.name, a.name] : [a.name, b.name])
    return false
  }
  if (kind === 'overlap') checkOverlap(checked, relation)
  return true
}

function reportOrderedParallel(
  { text, report, tasks }: Checked,
  { a, b, bound }: RelationDef,
  [first, second]: readonly [string, string],
) {
  const isEdge = tasks.get(first)?.children.includes(second) === true
  const overlap = [
    { from: bound.statement.head.from, to: bound.statement.head.to, insert: 'Overlap' },
    ...(a.name === first ? [] : swapOf(text, { a, b }).changes),
  ]
  report.add(
    'HM506',
    bound.statement,
    `The graph lets '${second}' run after '${first}', so the two are never Parallel; remove this${isEdge ? `, or write Overlap(${first}, ${second}) to let '${second}' start before '${first}' has ended` : ''}.`,
    {
      fixes: () => [
        removalOf(text, bound, 'Remove it', false),
        ...(isEdge
          ? [{ title: `Write Overlap(${first}, ${second})`, certain: false, changes: overlap }]
          : []),
      ],
    },
  )
}

function checkOverlap(checked: Checked, relation: RelationDef) {
  const { text, report, tasks } = checked
  const { a, b, bound } = relation
  const reason = uselessOverlap(checked, a.name, b.name)
  if (reason === null) return
  const isTurned = tasks.get(b.name)?.children.includes(a.name) === true
  report.add('HM509', bound.statement, `This changes nothing: ${reason}`, {
    fixes: () =>
      isTurned && uselessOverlap(checked, b.name, a.name) === null
        ? [swapOf(text, relation)]
        : [removalOf(text, bound, 'Remove it', false)],
  })
}

/** Why Overlap(a, b) changes nothing, as the end of a sentence; `null` when it has an effect. */
function uselessOverlap({ tasks, kinds, scopes, runsBefore }: Checked, a: string, b: string): string | null {
  const child = tasks.get(b)
  if (!child?.parents.includes(a)) {
    if (tasks.get(a)?.parents.includes(b))
      return `'${a}' is the child of '${b}'; Overlap names the parent first.`
    return runsBefore(a, b) || runsBefore(b, a)
      ? `'${a}' is no parent of '${b}', and Overlap is about a parent and its child.`
      : `there is no path between '${a}' and '${b}', so they may run at the same time anyway.`
  }
  if (child.directives.synchronize || (scopes?.get(b) === 'swarm' && scopes.get(a) !== 'swarm'))
    return `'${b}' is behind a barrier, so it starts when that opens.`
  return kinds?.get(a)?.out === 'stream'
    ? `'${a}' writes a stream, so '${b}' works on each item as it comes anyway.`
    : null
}
