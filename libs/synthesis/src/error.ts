/** A workflow from which nothing can be generated. `problems` has a sentence for each problem, with the task and a fix. */
export class SynthesisError extends Error {
  override readonly name = 'SynthesisError'
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
