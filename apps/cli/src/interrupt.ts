import { type Failure, otherFault } from './failure.ts'

export const interrupted = (): Failure =>
  otherFault('Interrupted; everything that was started has been stopped.')

/**
 * Runs `work` with a signal that aborts on Ctrl-C or a termination request, so that it can clean up behind itself.
 * Whatever it then does, the command ends with a sentence and exit code 3.
 */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, abort)
  try {
    const result = await work(controller.signal)
    if (controller.signal.aborted) throw interrupted()
    return result
  } catch (error) {
    if (controller.signal.aborted) throw interrupted()
    throw error
  } finally {
    for (const signal of signals) process.off(signal, abort)
  }
}
