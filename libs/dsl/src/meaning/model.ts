/** What the statements say, with every part's place in the text: the common ground of checks, meaning and edits. */
import type { ArgValue, Constraint, Directives, Relation, SyncCondition } from '@hivemind/workflow'
import type { Argument, DictValue, Entry, ListValue, Source, Span, Statement } from '../syntax/syntax.ts'
import type { DataFields } from '../types.ts'
import type { Parameter, StatementSpec } from './statements.ts'

/** A task or data name where it is written, quotes included. */
export interface Ref extends Span {
  name: string
  quoted: boolean
}

/** A statement with its arguments put to its parameters. */
export interface Bound {
  statement: Statement
  spec: StatementSpec
  args: Map<string, Argument>
  parameters: Map<string, Parameter>
  /** Keywords that are no parameter, where the statement takes any. */
  others: Argument[]
  otherNames: Map<string, Argument>
}

/** A `Task` statement. */
export interface TaskDef {
  bound: Bound
  ref: Ref
  dataIn: Ref[]
  dataOut: Ref | null
  code: string
  codeSpan: Span | null
  /** `null` when the argument is not written. */
  parents: Ref[] | null
  children: Ref[] | null
  args: Record<string, ArgValue>
}

/** A `Data` statement. */
export interface DataDef {
  bound: Bound
  ref: Ref
  fields: DataFields
}

/** A `Parallel`, `Overlap` or `Serial` statement. */
export interface RelationDef {
  bound: Bound
  kind: Relation['kind']
  a: Ref
  b: Ref
  /** Of `Serial` only. */
  scope?: 'swarm'
}

/** What one statement, or a `sync=` of a Task, says of a task. Of `Schedule` there is one for each keyword. */
export interface DirectiveDef {
  bound: Bound
  task: Ref
  key: keyof Directives
  /** The keyword of a `Schedule`, otherwise empty. */
  field: string
  value: SyncCondition | string | number | true
  /** As the language writes it. */
  written: string
  span: Span
}

/** One entry of the constraints; `constraint` is `null` when its key or limit is not possible. */
export interface ConstraintDef {
  entry: Entry
  constraint: Constraint | null
  key: string
}

/** Everything that the statements of a text say. */
export interface Model {
  source: Source
  graphs: Bound[]
  listed: Ref[]
  /** The literal list of the first TaskGraph, and its constraints, where they are in a form that can be edited. */
  list: ListValue | null
  constraintDict: DictValue | null
  tasks: TaskDef[]
  data: DataDef[]
  relations: RelationDef[]
  directives: DirectiveDef[]
  constraints: ConstraintDef[]
  /** Every statement with directives, whether its value could be read or not. */
  directiveStatements: { bound: Bound; task: Ref }[]
  /** Bare names in task arguments. */
  bareNames: Ref[]
  /** Every place where a task or a piece of data is named, bare names in task arguments left out. */
  taskRefs: Ref[]
  dataRefs: Ref[]
}
