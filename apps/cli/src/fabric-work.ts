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
      const tenths = new Map<number, number>()
      const events = work({ tools: new Toolchain(), cache: new FabricCache(), signal })
      for (;;) {
        const { done, value } = await events.next()
        if (done) return value
        if (value.kind === 'log' && !verbose) continue
        const text = describe(value, tenths)
        if (text !== undefined) say(text)
      }
    }),
  )
}

/** An event in words; how far the router is, only at each tenth of its way. */
function describe(event: FabricEvent, tenths: Map<number, number>): string | undefined {
  switch (event.kind) {
    case 'stage':
      return event.seed === undefined ? `${event.stage} ...` : `${event.stage}, seed ${event.seed} ...`
    case 'log':
      return event.seed === undefined ? `  ${event.line}` : `  seed ${event.seed}: ${event.line}`
    case 'routing': {
      const { seed, made, of } = event
      const tenth = Math.floor((10 * made) / of)
      if (tenth <= (tenths.get(seed) ?? 0)) return
      tenths.set(seed, tenth)
      return `  seed ${seed}: ${tenth * 10} % of ${of} connections made`
    }
    case 'given up':
      return `  seed ${event.seed} was given up: ${event.problem}`
  }
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
