/** Long work in small steps, so that others get a turn, and it can be told to stop. */

/** Takes all steps; returns what they come to. */
export function drain<T>(steps: Generator<unknown, T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Takes steps one after the other, all as part of the same fraction. */
export function* during<T>(steps: Generator<unknown, T>, fraction: number): Generator<number, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    yield fraction
  }
}
