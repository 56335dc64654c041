export { assignCores, type CoreAssignment, usableCores } from './cores.ts'
export { TaskError } from './error.ts'
export { requireRuntime } from './python.ts'
export { createTaskRunner } from './runner.ts'
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
