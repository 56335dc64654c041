/** One invocation of a task of the host, from its call to its answer. */
import { type Emitted, type FunctionLog, TaskError } from '@hivemind/task-runner'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { now, type PoolResult } from './pool.ts'
import type { HostedTask } from './tasks.ts'

/** Told what happens in an invocation. */
export interface InvocationEvents {
  onLog(call: Call, log: FunctionLog): void
  /** Told each item, as it goes to the answer. */
  onItem?(item: Emitted): void
}

/** Invokes a task and answers its call. Resolves in every case: what fails is answered. */
export async function invoke(
  hosted: HostedTask,
  call: Call,
  answer: Answer,
  signal: AbortSignal,
  events: InvocationEvents,
): Promise<void> {
  const arrivedAt = now()
  const items = new ItemGuard(hosted.config, answer, events.onItem)
  try {
    const { state, ...stats } = await run(hosted, call, answer, items, signal, events)
    const waitMs = stats.startedAt - arrivedAt
    answer.end({ ...stats, waitMs, bytesIn: call.bytesIn, bytesOut: items.bytes }, state)
  } catch (error) {
    const failure = items.failure ?? error
    answer.fail(failure instanceof TaskError ? failure : new TaskError('crash', (error as Error).message))
  }
}

function run(
  { pool }: HostedTask,
  call: Call,
  answer: Answer,
  items: ItemGuard,
  signal: AbortSignal,
  events: InvocationEvents,
): Promise<PoolResult> {
  const { inputs, context, timeoutMs, state, firstIndex, scatterTo, paceMs, deadline } = call
  return pool.invoke(
    call.key,
    {
      inputs,
      context,
      timeoutMs,
      signal,
      ...(state && { state }),
      ...(firstIndex !== undefined && { firstIndex }),
      ...(scatterTo && { scatterTo }),
      ...(paceMs !== undefined && { paceMs }),
      onItem: (item, index) => items.take(item, index),
      onLog: (level, text) => {
        answer.onLog({ level, text })
        events.onLog(call, { level, text })
      },
    },
    () => {
      if (deadline !== undefined && now() > deadline)
        throw new TaskError(
          'cancelled',
          `The deadline of task '${context.task}' had passed before it could start.`,
        )
    },
  )
}

/** Counts the items of a call and holds them to what its kind allows. */
class ItemGuard {
  /** Why the call fails, though its code went on. */
  failure: TaskError | undefined
  bytes = 0
  readonly #config: HostedTask['config']
  readonly #answer: Answer
  readonly #onItem: InvocationEvents['onItem']
  #items = 0

  constructor(config: HostedTask['config'], answer: Answer, onItem: InvocationEvents['onItem']) {
    this.#config = config
    this.#answer = answer
    this.#onItem = onItem
  }

  async take(item: Emitted, index: number): Promise<void> {
    this.#items += 1
    const { task, emits, dataOut } = this.#config
    const data = dataOut ?? task
    try {
      if (emits === 'one' && this.#items > 1)
        throw new TaskError(
          'value',
          `Task '${task}' emitted a second item where it may emit one: return a list, or declare Data('${data}', kind='stream').`,
        )
      this.bytes += item.value.bytes.length
      const answered = this.#answer.onItem(item, index)
      // behind the item in the answer, and not held back by who reads that
      this.#onItem?.(item)
      await answered
    } catch (error) {
      if (error instanceof TaskError) this.failure ??= error
      throw error
    }
  }
}
