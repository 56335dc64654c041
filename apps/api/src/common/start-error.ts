/** The service cannot start: one sentence for the person at the terminal. Exit code 3; 2 when the command line is at fault. */
export class StartError extends Error {
  readonly exitCode: 2 | 3

  constructor(sentence: string, exitCode: 2 | 3 = 3) {
    super(sentence)
    this.name = 'StartError'
    this.exitCode = exitCode
  }
}
