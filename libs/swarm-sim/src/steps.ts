/** Takes all steps of some work without a pause, and returns what it comes to. */
export function toEnd<Result>(steps: Generator<unknown, Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}
