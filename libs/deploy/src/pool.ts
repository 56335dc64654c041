/** The instances behind one cloud function: warm ones are used again, and none is shared by two invocations. */
import {
  createTaskRunner,
  type Invocation,
  type InvocationResult,
  type RunnerSpec,
  TaskError,
  type TaskRunner,
} from '@hivemind/task-runner'
import { decodeValue, encodeValue } from '@hivemind/values'

interface Slot {
  name: string
  runner: TaskRunner
}

/** An invocation whose values are plain. */
export interface PlainInvocation extends Pick<Invocation, 'context' | 'timeoutMs' | 'signal' | 'onLog'> {
  inputs: Record<string, unknown>
  onItem: (value: unknown, index: number) => Promise<void>
}

export interface PoolResult extends Omit<InvocationResult, 'state'> {
  worker: string
  startedAt: number
  endedAt: number
}

export class FunctionPool {
  readonly #spec: RunnerSpec
  readonly #size: number
  readonly #idle: Slot[] = []
  readonly #waiting: ((slot: Slot) => void)[] = []
  readonly #all: Slot[] = []
  /** What the task keeps for each device of the run, by `RUN DEVICE`. */
  readonly #states = new Map<string, Uint8Array>()
  #closed = false

  /** @param size most instances at once */
  constructor(spec: RunnerSpec, size: number) {
    this.#spec = spec
    this.#size = size
  }

  /** Starts one instance ahead of need. Rejects with `TaskError` when the code cannot be loaded. */
  async warm(): Promise<void> {
    const slot = await this.#take()
    try {
      await slot.runner.warm()
    } finally {
      this.#give(slot)
    }
  }

  /** Waits for an instance and invokes it; the most recently used warm one comes first. */
  async invoke(invocation: PlainInvocation, now: () => number): Promise<PoolResult> {
    const slot = await this.#take()
    const startedAt = now()
    const { run, device } = invocation.context
    const key = `${run} ${device}`
    try {
      const { state, ...result } = await slot.runner.invoke({
        ...invocation,
        inputs: Object.fromEntries(
          Object.entries(invocation.inputs).map(([name, value]) => [
            name,
            { kind: 'one', value: encodeValue(value) },
          ]),
        ),
        state: this.#states.get(key) ?? null,
        onItem: ({ value }, index) => invocation.onItem(decodeValue(value), index),
      })
      if (state) this.#keep(run, key, state)
      return { ...result, worker: slot.name, startedAt, endedAt: now() }
    } finally {
      this.#give(slot)
    }
  }

  /** Ends every instance; none is started any more. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#all.map(({ runner }) => runner.close()))
  }

  /** Keeps the state of one run only. */
  #keep(run: string, key: string, state: Uint8Array): void {
    for (const other of this.#states.keys()) if (!other.startsWith(`${run} `)) this.#states.delete(other)
    this.#states.set(key, state)
  }

  async #take(): Promise<Slot> {
    if (this.#closed) throw new TaskError('cancelled', 'The function was stopped.')
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#all.length < this.#size) {
      const name = `${this.#spec.task}-${this.#all.length + 1}`
      const slot = { name, runner: createTaskRunner(this.#spec) }
      this.#all.push(slot)
      return slot
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #give(slot: Slot): void {
    const next = this.#waiting.shift()
    if (next) next(slot)
    else this.#idle.push(slot)
  }
}
