/** A workflow as a set of facts, each of which an edit can make true: what two versions are merged by. */
import { type Directives, edgesOf, placeText, type Relation, type Workflow } from '@hivemind/workflow'
import type { DirectiveEdit, DirectiveValues, GraphEdit } from '../edits.ts'
import type { DataFields } from '../types.ts'

/** What a fact is about. An edge is about its two tasks. */
export interface Subject {
  kind: 'task' | 'edge' | 'data' | 'relation' | 'constraint'
  /** Of a task, data or constraint; `from → to` of an edge, `a, b` of a relation. */
  name: string
}

/** What the fact is about that a task exists. */
export const EXISTS = 'the task'

/** Something that a workflow says. */
export interface Fact {
  subject: Subject
  /** What of the subject it is about, in words. */
  what: string
  /** The tasks without which it means nothing. */
  needs: readonly string[]
  /** JSON. */
  value: unknown
  /** Makes the fact true. */
  set: GraphEdit[]
  /** Makes it false. */
  unset: GraphEdit[]
}

/** The facts of a workflow by a key that is the same in all versions. That a task exists is a fact without `needs`. */
export function factsOf(workflow: Workflow): Map<string, Fact> {
  const facts = new Map<string, Fact>()
  const add = (fact: Fact): void => {
    const { kind, name } = fact.subject
    facts.set(JSON.stringify([kind, name, fact.what]), fact)
  }
  for (const { name, code, dataIn, dataOut, args, directives } of workflow.tasks) {
    const subject: Subject = { kind: 'task', name }
    const own = (what: string, value: unknown, set: GraphEdit, unset: GraphEdit[] = []): void =>
      add({ subject, what, needs: [name], value, set: [set], unset })
    add({
      subject,
      what: EXISTS,
      needs: [],
      value: true,
      set: [{ kind: 'addTask', task: { name, code, dataIn, dataOut } }],
      unset: [{ kind: 'removeTask', task: name }],
    })
    own('code', code, { kind: 'setCode', task: name, code })
    own('what it reads', dataIn, { kind: 'setDataIn', task: name, dataIn })
    own('what it writes', dataOut, { kind: 'setDataOut', task: name, dataOut })
    for (const [arg, given] of Object.entries(args)) {
      const value = given === null ? { none: true as const } : given
      const unset: GraphEdit = { kind: 'setArg', task: name, arg, value: null }
      own(`argument ${arg}`, value, { kind: 'setArg', task: name, arg, value }, [unset])
    }
    for (const edit of directiveEdits(name, directives))
      own(edit.directive, edit.value, edit, [{ ...edit, value: null }])
  }
  for (const { from, to } of edgesOf(workflow))
    add({
      subject: { kind: 'edge', name: `${from} → ${to}` },
      what: 'the edge',
      needs: [from, to],
      value: true,
      set: [{ kind: 'connect', from, to }],
      unset: [{ kind: 'disconnect', from, to }],
    })
  for (const relation of workflow.relations) add(relationFact(relation))
  for (const { key, limit } of workflow.constraints)
    add({
      subject: { kind: 'constraint', name: key },
      what: 'the limit',
      needs: [],
      value: limit.text,
      set: [{ kind: 'setConstraint', key, value: limit.text }],
      unset: [{ kind: 'setConstraint', key, value: null }],
    })
  for (const { name, declared, kind, type, size, rate, stays } of workflow.data) {
    if (!declared) continue
    const fields: DataFields = {
      ...(kind && { kind }),
      ...(type && { type }),
      ...(size && { size: size.text }),
      ...(rate && { rate: rate.text }),
      ...(stays && { stays }),
    }
    const drop: GraphEdit = { kind: 'setData', data: name, fields: null }
    add({
      subject: { kind: 'data', name },
      what: 'the Data statement',
      needs: [],
      value: fields,
      // A field that is left out would stay as it is.
      set: [drop, { kind: 'setData', data: name, fields }],
      unset: [drop],
    })
  }
  return facts
}

function relationFact({ a, b, kind, scope }: Relation): Fact {
  const [first, second] = [a, b].sort() as [string, string]
  return {
    subject: { kind: 'relation', name: `${first}, ${second}` },
    what: 'how they relate',
    needs: [a, b],
    value: [kind, scope ?? null],
    set: [{ kind: 'setRelation', a, b, relation: kind, ...(scope && { scope }) }],
    unset: [{ kind: 'setRelation', a, b, relation: null }],
  }
}

/** Edits that give a task these directives. */
export function directiveEdits(task: string, directives: Directives): DirectiveEdit[] {
  const { synchronize, schedule, isolate, place, restore, learn, persist } = directives
  const values: Partial<DirectiveValues> = {
    ...(synchronize && { synchronize }),
    ...(schedule && {
      schedule: {
        ...(schedule.priority !== undefined && { priority: schedule.priority }),
        ...(schedule.deadline && { deadline: schedule.deadline.text }),
        ...(schedule.onMiss && { onMiss: schedule.onMiss }),
      },
    }),
    ...(isolate && { isolate }),
    ...(place && { place: placeText(place) }),
    ...(restore && { restore }),
    ...(learn && { learn }),
    ...(persist && { persist }),
  }
  return Object.entries(values).map(
    ([directive, value]) => ({ kind: 'setDirective', task, directive, value }) as DirectiveEdit,
  )
}
