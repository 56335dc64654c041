/** Runs the invocations of a lambda, one at a time. */
import type { Lambda, LambdaContext, LambdaObject } from '../contract.ts'
import { checkCores } from './cores.ts'
import { putResults, resultsOf } from './destinations.ts'
import { IsolatedRunner } from './isolated.ts'
import type { BindingOptions } from './options.ts'

/** Runs one invocation at a time. */
export interface Runner {
  /**
   * Returns a promise only when the invocation takes longer than the call.
   * @param owned nobody else has the bytes, so that they can be given away
   */
  run(object: LambdaObject, owned: boolean): unknown
  close(): void
}

/**
 * A runner in this process, or in a thread or process of its own, as the lambda says. What the lambda returns goes to the
 * destinations of its binding. Throws `InvalidOptionError` when the lambda cannot be kept to the cores that are asked for.
 * @param index number of the runner among those of the binding
 */
export function newRunner(
  lambda: Lambda,
  context: LambdaContext,
  prefix: string,
  options: BindingOptions,
  index: number,
): Runner {
  const { destinations = [], cores } = options
  if (cores && index === 0) checkCores(lambda, cores)
  const runner: Runner =
    typeof lambda === 'function'
      ? { run: (object) => lambda(object, context), close: () => {} }
      : new IsolatedRunner(lambda, context, options, cores?.[index % cores.length])
  if (destinations.length === 0) return runner
  return {
    async run(object, owned) {
      const results = resultsOf(await runner.run(object, owned))
      await putResults(context.store, results, object.key.slice(prefix.length), destinations)
    },
    close: () => runner.close(),
  }
}
