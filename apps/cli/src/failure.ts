/** Exit codes of the command: what a script may rely on. */
export const exitCodes = { fine: 0, workflow: 1, usage: 2, other: 3 } as const

/** A failure with a sentence for the user and the exit code that says whose fault it is. */
export class Failure extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

export const workflowFault = (message: string): Failure => new Failure(message, exitCodes.workflow)
export const usageFault = (message: string): Failure => new Failure(message, exitCodes.usage)
export const otherFault = (message: string): Failure => new Failure(message, exitCodes.other)
