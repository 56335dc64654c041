/** Runs the invocations of a lambda, one at a time. */
import type { Lambda, LambdaContext, LambdaObject } from '../contract.ts'
import { IsolatedRunner } from './isolated.ts'

/** Runs one invocation at a time. */
export interface Runner {
  /**
   * Returns a promise only when the invocation takes longer than the call.
   * @param owned nobody else has the bytes, so that they can be given away
   */
  run(object: LambdaObject, owned: boolean): unknown
  close(): void
}

/** A runner in this process, or in a thread or process of its own, as the lambda says. */
export function newRunner(lambda: Lambda, context: LambdaContext, timeoutMs: number | undefined): Runner {
  if (typeof lambda !== 'function') return new IsolatedRunner(lambda, context, timeoutMs)
  return { run: (object) => lambda(object, context), close: () => {} }
}
