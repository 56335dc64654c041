/** Runs the invocations of a lambda, one at a time. */
import type { Lambda, LambdaContext, LambdaObject } from '../contract.ts'
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

/** As many runners as may work at the same time, in this process or in threads or processes of their own, as the lambda says. */
export function newRunners(lambda: Lambda, context: LambdaContext, options: BindingOptions): Runner[] {
  const { concurrency, timeoutMs, cores = [] } = options
  return Array.from({ length: concurrency }, (_, at) =>
    typeof lambda === 'function'
      ? { run: (object) => lambda(object, context), close: () => {} }
      : new IsolatedRunner(lambda, context, timeoutMs, cores[at % cores.length]),
  )
}
