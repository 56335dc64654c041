export { TaskError } from './error.ts'
export { requireRuntime } from './python.ts'
export { createTaskRunner } from './runner.ts'
export type {
  Invocation,
  InvocationContext,
  InvocationResult,
  RunnerSpec,
  TaskErrorKind,
  TaskRunner,
} from './types.ts'
