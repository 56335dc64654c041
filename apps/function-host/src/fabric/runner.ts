/** Runs a network function on the fabric of a board, as a task's process runs it in software. */
import { DistilUnit, FabricCache, FabricError } from '@hivemind/fabric'
import { keepsState, NfuError, parseNfu } from '@hivemind/nfu'
import {
  type Invocation,
  type InvocationResult,
  type RunnerSpec,
  TaskError,
  type TaskRunner,
  UnitCall,
} from '@hivemind/task-runner'
import { Lanes } from './lanes.ts'

/** How often a board is asked that does not answer, and how much longer is waited each time, in ms. */
const [ATTEMPTS, PAUSE_MS] = [5, 200]

/** A board that is in use: what it runs, and for which lanes. */
interface InUse {
  unit: DistilUnit
  lanes: Lanes
}

/**
 * A runner over the engine distil of a board. It takes the board when it starts, and takes it again when the line was lost, as
 * after a load, or the fabric does something else than the op. One invocation at a time. Execution is what the board's cycles take; what its simulation takes
 * beyond that counts as waiting.
 */
export class FabricRunner implements TaskRunner {
  readonly #spec: RunnerSpec
  readonly #board: string
  readonly #cache = new FabricCache()
  #inUse: InUse | undefined
  /** What had the board until it was lost. */
  #lost: DistilUnit | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(spec: RunnerSpec, board: string) {
    this.#spec = spec
    this.#board = board
  }

  async warm(): Promise<void> {
    try {
      await this.#taken()
    } catch (error) {
      throw new TaskError('load', this.#sentence(error))
    }
  }

  invoke(invocation: Invocation): Promise<InvocationResult> {
    const result = this.#last.then(() => this.#invoke(invocation))
    this.#last = result.catch(() => {})
    return result
  }

  memoryMB(): number {
    return 0
  }

  async close(): Promise<void> {
    await this.#last
    await this.#release()
  }

  async #invoke(invocation: Invocation): Promise<InvocationResult> {
    const { context, signal, onItem, firstIndex = 0, timeoutMs } = invocation
    if (signal?.aborted) throw new TaskError('cancelled', 'The invocation was cancelled.')
    const from = performance.now()
    const call = this.#callOf(invocation)
    const lane = [context.run, context.device, call.stateKey ?? ''].join('/')
    const { outputs, state, cycles, clockMHz } = await this.#compute(call, lane, timeoutMs)
    const spentMs = performance.now() - from
    const items = call.items(outputs)
    for (const [index, item] of items.entries()) await onItem(item, firstIndex + index)
    const kept = keepsState(parseNfu(this.#spec.code)) ? call.keep(state) : undefined
    const executionMs = Math.min(spentMs, cycles / (clockMHz * 1000))
    return {
      executionMs,
      waitedMs: spentMs - executionMs,
      callMs: 0,
      startMs: 0,
      pacedMs: 0,
      items: items.length,
      decisions: 0,
      peakMemoryMB: 0,
      ...(kept && { state: kept }),
    }
  }

  #callOf(invocation: Invocation): UnitCall {
    try {
      return new UnitCall(invocation, this.#spec)
    } catch (error) {
      throw new TaskError('value', `Task '${this.#spec.task}': ${(error as Error).message}`)
    }
  }

  /** Gives the values to the fabric; once more, from the state before, after the board was taken again. */
  async #compute(call: UnitCall, lane: string, limitMs: number) {
    for (let attempt = 1; ; attempt++) {
      try {
        const { unit, lanes } = await this.#taken()
        const result = await inTime(lanes.run(lane, call.state, call.values), limitMs)
        return { ...result, clockMHz: unit.figures.clockMHz }
      } catch (error) {
        if (error instanceof NfuError)
          throw new TaskError('exception', `Task '${this.#spec.task}': ${error.message}`)
        this.#lose()
        if (attempt === 2 || error instanceof TaskError)
          throw error instanceof TaskError ? error : new TaskError('crash', this.#sentence(error))
      }
    }
  }

  async #taken(): Promise<InUse> {
    if (this.#inUse) return this.#inUse
    const nfu = parseNfu(this.#spec.code)
    const { op, window, count, above, below } = nfu
    const wanted = { op, window: op === 'counter' ? count : window, above, below }
    for (let attempt = 1; ; attempt++)
      try {
        const unit = await DistilUnit.open(this.#board, wanted, this.#cache, this.#lost)
        this.#lost = undefined
        this.#inUse = { unit, lanes: new Lanes(nfu, unit) }
        return this.#inUse
      } catch (error) {
        // somebody else may read its registers at this moment, or switch it on
        const mayPass = error instanceof FabricError && error.code === 'board'
        if (!mayPass || attempt === ATTEMPTS) throw error
        await new Promise((resolve) => setTimeout(resolve, attempt * PAUSE_MS))
      }
  }

  /** The board is to be taken again. */
  #lose(): void {
    this.#lost = this.#inUse?.unit ?? this.#lost
    this.#inUse?.unit.leave()
    this.#inUse = undefined
  }

  /** Leaves the board as it was, if it is still there. */
  async #release(): Promise<void> {
    const { unit } = this.#inUse ?? {}
    this.#inUse = undefined
    await unit?.close().catch(() => {})
  }

  #sentence(error: unknown): string {
    const { message } = error as Error
    return `Task '${this.#spec.task}' on the board in '${this.#board}': ${message}`
  }
}

/** Rejects with `TaskError` when work takes longer than it may. */
async function inTime<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new TaskError('timeout', `The fabric gave no answer within ${limitMs / 1000} s.`)),
      limitMs,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
