import type { FunctionSpec } from '@hivemind/task-runner/functions'

/** A function of `work.mjs`, which lies in `dir`. */
export const functionSpec = (
  task: string,
  dir: string,
  args: FunctionSpec['args'] = {},
  more: Partial<FunctionSpec> = {},
): FunctionSpec => ({
  task,
  workflow: 'patrol',
  runtime: 'node',
  dir,
  code: 'work.mjs',
  args,
  memoryMB: 512,
  dataIn: ['x'],
  dataOut: 'y',
  emits: 'one',
  timeoutMs: 30_000,
  concurrency: 1,
  ...more,
})
