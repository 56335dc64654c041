/** Why nothing can be generated: one sentence for each problem, each naming the task and how to mend it. */
export class SynthesisError extends Error {
  override readonly name = 'SynthesisError'
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
