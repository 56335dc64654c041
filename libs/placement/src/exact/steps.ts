/** Long work in small steps, so that others get a turn and it can be stopped. */

/** Runs all steps; returns the result. */
export function drain<T>(steps: Generator<unknown, T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Runs all steps, yielding the same fraction for each; returns the result. */
export function* during<T>(steps: Generator<unknown, T>, fraction: number): Generator<number, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    yield fraction
  }
}
