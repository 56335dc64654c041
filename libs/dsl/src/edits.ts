import type { ArgValue, ConstraintKey, Relation, SyncCondition } from '@hivemind/workflow'
import type { DataFields } from './types.ts'

/** A task to add. Lists that are absent are empty; `dataOut` absent or `null` writes no data. */
export interface NewTask {
  name: string
  dataIn?: string[]
  dataOut?: string | null
  code: string
  parents?: string[]
  children?: string[]
  args?: Record<string, ArgValue>
}

/** The directives as the language writes them; `undefined` or `null` removes the statement. */
export interface DirectiveValues {
  synchronize: SyncCondition
  /** Keyword arguments of `Schedule`; the deadline as the language writes it, such as `'200ms'`. */
  schedule: { priority?: number; deadline?: string; onMiss?: 'drop' }
  isolate: true
  /** `Cloud`, `Edge:all`, `Edge:<class or device>`, `Fabric`. */
  place: string
  restore: 'respawn' | 'repartition' | 'checkpoint' | 'ignore'
  learn: 'Global' | 'Device' | 'Off'
  persist: true
}

/** Sets one directive of a task; the value `null` removes it. */
export type DirectiveEdit = {
  [K in keyof DirectiveValues]: {
    kind: 'setDirective'
    task: string
    directive: K
    value: DirectiveValues[K] | null
  }
}[keyof DirectiveValues]

/**
 * An edit of the graph. Each becomes the smallest edit of the text: statements it does not concern keep every byte.
 * Both sides of an edge are kept in agreement (parentTask of the child, childTask of the parent), whichever are written.
 */
export type GraphEdit =
  | { kind: 'addTask'; task: NewTask }
  | { kind: 'removeTask'; task: string }
  | { kind: 'renameTask'; task: string; to: string }
  /** `data: true` also makes the child read what the parent writes. */
  | { kind: 'connect'; from: string; to: string; data?: boolean }
  /** `data: true` also makes the child no longer read what the parent writes. */
  | { kind: 'disconnect'; from: string; to: string; data?: boolean }
  | { kind: 'setCode'; task: string; code: string }
  | { kind: 'setDataIn'; task: string; dataIn: string[] }
  | { kind: 'setDataOut'; task: string; dataOut: string | null }
  /** `null` removes the argument; to set None use `{ none: true }`. */
  | { kind: 'setArg'; task: string; arg: string; value: ArgValue | { none: true } }
  | DirectiveEdit
  /** `scope` is of `serial` only; without it the two take turns on each device. */
  | { kind: 'setRelation'; a: string; b: string; relation: Relation['kind'] | null; scope?: 'swarm' }
  | { kind: 'setConstraint'; key: ConstraintKey; value: string | null }
  /** Fields of the `Data` statement; `null` removes the whole statement, an undefined field stays as it is. */
  | {
      kind: 'setData'
      data: string
      fields: DataFields | null
    }
  | { kind: 'renameData'; data: string; to: string }
  /** All or nothing, in order; one step of undo. */
  | { kind: 'batch'; edits: GraphEdit[] }
