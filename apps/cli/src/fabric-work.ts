import { FabricCache, FabricError, type FabricEvent, Toolchain } from '@hivemind/fabric'
import { otherFault, usageFault } from './failure.ts'
import { untilInterrupted } from './interrupt.ts'
import { say } from './output.ts'

type Options = { tools: Toolchain; cache: FabricCache; signal: AbortSignal }

/** Runs a piece of work to its end and says its stages; Ctrl-C cancels it. */
export async function toEnd<T>(
  work: (options: Options) => AsyncGenerator<FabricEvent, T>,
  verbose = false,
): Promise<T> {
  return faults(() =>
    untilInterrupted(async (signal) => {
      const events = work({ tools: new Toolchain(), cache: new FabricCache(), signal })
      for (;;) {
        const { done, value } = await events.next()
        if (done) return value
        if (value.kind === 'stage')
          say(value.seed === undefined ? `${value.stage} ...` : `${value.stage}, seed ${value.seed} ...`)
        else if (value.kind === 'log' && verbose) say(`  ${value.line}`)
      }
    }),
  )
}

/** Errors of the fabric as failures of the command, with the exit code that says whose fault it is. */
export async function faults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FabricError)) throw error
    const isUsage = error.code === 'bad-parameters' || error.code === 'not-found'
    throw isUsage ? usageFault(error.message) : otherFault(`${error.message} (${error.code})`)
  }
}
