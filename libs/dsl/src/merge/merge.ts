/** Merges two versions of a workflow that come from one: the changes of one are made in the text of the other. */
import { canonical } from '@hivemind/workflow'
import { check } from '../analysis.ts'
import { openDocument } from '../document.ts'
import { applyEdit } from '../edit/apply.ts'
import { EditError } from '../edit/editor.ts'
import { EXISTS, type Fact, factsOf, type Subject } from './facts.ts'

/** Whose change is kept. */
export type Side = 'mine' | 'theirs'

/** A subject of which both versions have changed the same, each in its own way. */
export interface MergeConflict {
  subject: Subject
  /** What of it, in words. */
  what: string[]
  /** The side that has removed the task, when one has; the other has changed it. */
  removedBy?: Side
}

/** What became of a merge. */
export interface Merge {
  text: string
  conflicts: MergeConflict[]
  /** Changes of mine that the text of theirs has no place for, each with the reason. */
  left: string[]
}

/** The version that both come from, and what was made of it. */
export interface Versions {
  base: string
  mine: string
  theirs: string
}

type Facts = ReadonlyMap<string, Fact>
type Three<T> = Record<keyof Versions, T>
type Choose = (subject: Subject) => Side

/**
 * Makes the changes from `base` to `mine` in the text of `theirs`, by the names of tasks and data. Where both have changed the same
 * differently, `choose` says whose change is kept. Comments are those of `theirs`. Returns `null` when one of the texts has syntax
 * errors. A renamed task counts as one that was removed and one that was added.
 */
export function merge({ base, mine, theirs }: Versions, choose: Choose = () => 'theirs'): Merge | null {
  const facts = [base, mine, theirs].map((text) => {
    const { workflow, diagnostics } = check(text)
    const isBroken = diagnostics.some(({ code, severity }) => code.startsWith('HM1') && severity === 'error')
    return workflow && !isBroken && factsOf(workflow)
  })
  const [was, own, other] = facts
  if (!was || !own || !other) return null
  const { conflicts, changes } = changesOf({ base: was, mine: own, theirs: other }, choose)
  const document = openDocument(theirs)
  const left = new Set<string>()
  for (const { fact, holds } of changes)
    for (const edit of holds ? fact.set : fact.unset)
      try {
        document.update(applyEdit(document, edit).changes)
      } catch (error) {
        if (!(error instanceof EditError)) throw error
        left.add(`${fact.subject.name}, ${fact.what}: ${error.message}`)
      }
  return { text: document.text, conflicts, left: [...left] }
}

interface Change {
  fact: Fact
  /** Whether it becomes true or false. */
  holds: boolean
}

/** What is to be changed in theirs, in an order in which each change finds what it needs, and where both have changed the same. */
function changesOf(facts: Three<Facts>, choose: Choose): { conflicts: MergeConflict[]; changes: Change[] } {
  const fates = fatesOf(facts, choose)
  const conflicts = new Map(fates.conflicts.map((conflict) => [conflict.subject.name, conflict]))
  const changes: Change[] = []
  for (const key of new Set([...facts.mine.keys(), ...facts.theirs.keys()])) {
    const [was, own, other] = [facts.base.get(key), facts.mine.get(key), facts.theirs.get(key)]
    const fact = own ?? other
    if (!fact) continue
    const tasks = fact.what === EXISTS ? [fact.subject.name] : fact.needs
    if (tasks.some((name) => fates.gone.has(name))) continue
    let wanted = saysSame(was, own) ? other : own
    const name = tasks.find((each) => fates.from.has(each))
    if (name !== undefined) wanted = fates.from.get(name) === 'mine' ? own : other
    else if (!saysSame(was, own) && !saysSame(was, other) && !saysSame(own, other)) {
      const id = `${fact.subject.kind} ${fact.subject.name}`
      const conflict = conflicts.get(id) ?? { subject: fact.subject, what: [] }
      conflict.what.push(fact.what)
      conflicts.set(id, conflict)
      wanted = choose(fact.subject) === 'mine' ? own : other
    }
    if (!saysSame(wanted, other))
      changes.push({ fact: wanted ?? (other as Fact), holds: wanted !== undefined })
  }
  for (const name of fates.gone) {
    const fact = facts.theirs.get(keyOfTask(name))
    if (fact) changes.push({ fact, holds: false })
  }
  const rank = ({ fact, holds }: Change): number => (fact.what === EXISTS ? (holds ? 0 : 3) : holds ? 2 : 1)
  return { conflicts: [...conflicts.values()], changes: changes.toSorted((a, b) => rank(a) - rank(b)) }
}

/** What becomes of the tasks that one side has removed. */
interface Fates {
  /** Those that are no more. */
  gone: Set<string>
  /** Those that stay because the other side has changed them: what is said of them is as that side says it. */
  from: Map<string, Side>
  conflicts: MergeConflict[]
}

function fatesOf(facts: Three<Facts>, choose: Choose): Fates {
  const fates: Fates = { gone: new Set(), from: new Map(), conflicts: [] }
  for (const fact of facts.base.values()) {
    const { name } = fact.subject
    if (fact.what !== EXISTS) continue
    const here = { mine: facts.mine.has(keyOfTask(name)), theirs: facts.theirs.has(keyOfTask(name)) }
    if (here.mine && here.theirs) continue
    const removedBy: Side = here.mine ? 'theirs' : 'mine'
    const kept: Side = here.mine ? 'mine' : 'theirs'
    const what = here.mine || here.theirs ? changedOf(name, facts.base, facts[kept]) : []
    if (what.length > 0) fates.conflicts.push({ subject: fact.subject, what, removedBy })
    if (what.length > 0 && choose(fact.subject) === kept) fates.from.set(name, kept)
    else fates.gone.add(name)
  }
  return fates
}

/** What one side has changed of what is said of a task, in words. */
function changedOf(name: string, base: Facts, side: Facts): string[] {
  const keys = new Set([...base.keys(), ...side.keys()])
  const changed = [...keys].flatMap((key) => {
    const fact = side.get(key) ?? base.get(key)
    return fact?.needs.includes(name) && !saysSame(base.get(key), side.get(key)) ? [fact.what] : []
  })
  return [...new Set(changed)]
}

const keyOfTask = (name: string): string => JSON.stringify(['task', name, EXISTS])
const saysSame = (a: Fact | undefined, b: Fact | undefined): boolean =>
  canonical(a?.value) === canonical(b?.value)
