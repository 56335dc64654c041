export type {
  InvocationKey,
  LogLine,
  RunEvent,
  RunOutput,
  RunResult,
  RunState,
  Span,
  TaskState,
} from './types.ts'
