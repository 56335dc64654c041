/** The Python that runs task code: which it is, and how to say that it does not run. */
import { execFile } from 'node:child_process'
import { TaskError } from './error.ts'
import type { RunnerSpec } from './types.ts'

const START_LIMIT_MS = 30_000

/** The program that runs Python code: what HIVEMIND_PYTHON names, else `python3`. */
export function pythonProgram(): string {
  return process.env.HIVEMIND_PYTHON || 'python3'
}

/** How a Python that could not be started is told of. */
export function notStarted(program: string, error: NodeJS.ErrnoException): string {
  return error.code === 'ENOENT'
    ? `there is no '${program}' on this machine`
    : `'${program}' could not be started (${error.message})`
}

/** How a Python that ended before it ran anything is told of, with the last line it printed. */
export function endedAtOnce(program: string, how: string, output: string): string {
  const last = output.trim().split('\n').at(-1)
  return `'${program}' ends as soon as it is started (${how}${last ? `: ${last}` : ''})`
}

/** A machine without a Python that runs: `what` says in which way. */
export function pythonFault(task: string, what: string, detail = ''): TaskError {
  return new TaskError(
    'load',
    `Task '${task}' is Python code, and ${what}: install Python 3.8 or newer (sudo apt-get install python3), or name one in HIVEMIND_PYTHON.`,
    detail,
  )
}

/**
 * Rejects with a `TaskError` of kind `load` when this machine cannot run code of that runtime at all, whatever the code
 * says; its message names the task and how to mend it. Node.js and functional units always run.
 */
export async function requireRuntime(task: string, runtime: RunnerSpec['runtime']): Promise<void> {
  if (runtime !== 'python') return
  const program = pythonProgram()
  const fault = await new Promise<string | undefined>((resolve) => {
    const options = { timeout: START_LIMIT_MS, killSignal: 'SIGKILL' } as const
    execFile(
      program,
      ['-c', 'import sys; print(sys.version_info >= (3, 8))'],
      options,
      (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number' && !error.signal)
          resolve(notStarted(program, error as NodeJS.ErrnoException))
        else if (error)
          resolve(
            endedAtOnce(program, error.signal ? `signal ${error.signal}` : `exit code ${error.code}`, stderr),
          )
        else if (stdout.trim() === 'False') resolve(`'${program}' is older than 3.8`)
        else if (stdout.trim() !== 'True') resolve(`'${program}' is no Python`)
        else resolve(undefined)
      },
    )
  })
  if (fault !== undefined) throw pythonFault(task, fault)
}
