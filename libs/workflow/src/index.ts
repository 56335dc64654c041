export { BOUNDS, type BoundedQuantity, type Bounds, boundsFault } from './bounds.ts'
export { canonical } from './canonical.ts'
export {
  ancestorsOf,
  edgesOf,
  inputsOf,
  type Role,
  roleOf,
  sinksOf,
  tasksHeldByData,
  topologicalOrder,
} from './graph.ts'
export { pinsToDevices, placeText } from './pin.ts'
export { type Dimension, parseQuantity, type Quantity, unitsOf } from './quantity.ts'
export {
  type Kind,
  type Kinds,
  kindsOf,
  type Scope,
  scopesOf,
  stateKeyOf,
  swarmWideTasks,
} from './run-time.ts'
export type {
  ArgValue,
  Constraint,
  ConstraintKey,
  DataItem,
  Directives,
  Edge,
  LearnScope,
  Pin,
  Relation,
  RestorePolicy,
  SyncCondition,
  Task,
  Workflow,
} from './workflow.ts'
