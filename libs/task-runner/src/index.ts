export type {
  Invocation,
  InvocationContext,
  InvocationResult,
  RunnerSpec,
  TaskErrorKind,
  TaskRunner,
} from './types.ts'
