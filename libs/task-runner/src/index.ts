export { assignCores, type CoreAssignment, usableCores } from './cores.ts'
export { TaskError } from './error.ts'
export {
  type FunctionConfig,
  functionName,
  hasSeveralTasks,
  type ServedTask,
  tasksOf,
} from './function-config.ts'
export { HOLD_PATH, MAX_HOLD_MS } from './function-hold.ts'
export { CHALLENGE_HEADER, MAX_CHALLENGE_LENGTH, PROOF_PATH, proofOf } from './function-proof.ts'
export {
  attributeToHeader,
  CALL_TYPE,
  decodeCall,
  decodeOutcome,
  encodeCall,
  encodeFunctionFrame,
  encodeOutcome,
  type FunctionCall,
  type FunctionFrame,
  type FunctionLog,
  type FunctionOutcome,
  type FunctionProblem,
  type FunctionStats,
  type FunctionStep,
  ITEMS_TYPE,
  MAX_EVENT_BYTES,
  type NextTask,
  nextFromAttribute,
  nextToAttribute,
  OUTCOME_TYPE,
  readFunctionFrames,
  statsFromAttributes,
  statsToAttributes,
} from './function-wire.ts'
export { requireRuntime } from './python.ts'
export { createTaskRunner, keptState } from './runner.ts'
export { inspectSandbox, type SandboxReport } from './sandbox/bubblewrap.ts'
export { mayMakeControlGroups } from './sandbox/control-group.ts'
export { hostEnvironment, type SandboxMode, sandboxModeIn } from './sandbox/mode.ts'
export type {
  Emitted,
  Invocation,
  InvocationContext,
  InvocationResult,
  RunnerSpec,
  TaskErrorKind,
  TaskInput,
  TaskRunner,
} from './types.ts'
export { UnitCall } from './unit-call.ts'
