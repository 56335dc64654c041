/** The co-placed tasks that a call goes on with: each is called with the items of those before it, in the memory of the host. */
import type { Emitted, NextTask } from '@hivemind/task-runner'
import type { EncodedValue } from '@hivemind/values'
import { type AnswerContext, endSteps, StreamAnswer } from './answer.ts'
import type { Call } from './call.ts'
import { type InvocationEvents, invoke } from './invocation.ts'
import type { HostedTask, HostTasks } from './tasks.ts'

/** A call and what follows it, which are answered in one sequence of frames. */
export class Chain {
  readonly #tasks: HostTasks
  readonly #next: readonly NextTask[]
  readonly #context: AnswerContext
  readonly #signal: AbortSignal
  readonly #events: InvocationEvents
  readonly #going: Promise<void>[] = []
  /** The items so far, by task. */
  readonly #items = new Map<string, { data: string; value: EncodedValue }>()

  /** @param next what may follow; tasks that are not of this host are left to the caller */
  constructor(
    tasks: HostTasks,
    next: readonly NextTask[],
    context: AnswerContext,
    signal: AbortSignal,
    events: InvocationEvents,
  ) {
    this.#tasks = tasks
    this.#next = next
    this.#context = context
    this.#signal = signal
    this.#events = events
  }

  /** Invokes a task, and each that follows as soon as those before it have emitted their items. Resolves when all have ended and are answered. */
  async run(first: HostedTask): Promise<void> {
    const { call, response } = this.#context
    await this.#invoke(first, call, undefined)
    for (let going = this.#going.splice(0); going.length > 0; going = this.#going.splice(0))
      await Promise.all(going)
    endSteps(response)
  }

  #invoke(hosted: HostedTask, call: Call, task: string | undefined): Promise<void> {
    const answer = new StreamAnswer(
      { ...this.#context, config: hosted.config, call },
      { isLast: false, task },
    )
    return invoke(hosted, call, answer, this.#signal, {
      ...this.#events,
      onItem: (item) => this.#follow(hosted, item),
    })
  }

  /** Invokes what the item of a task was all that it waited for. */
  #follow({ config: { task, dataOut } }: HostedTask, { value }: Emitted): void {
    this.#items.set(task, { data: dataOut ?? task, value })
    for (const next of this.#next) {
      const hosted = this.#tasks.coPlaced(next.task)
      if (!hosted?.after.includes(task)) continue
      const items = hosted.after.flatMap((name) => this.#items.get(name) ?? [])
      if (items.length < hosted.after.length) continue
      this.#going.push(this.#invoke(hosted, callWith(items, hosted, this.#context.call, next), next.task))
    }
  }
}

/** The call of a task with the items of those before it, which were called for `first`. */
function callWith(
  items: readonly { data: string; value: EncodedValue }[],
  { config }: HostedTask,
  first: Call,
  next: NextTask,
): Call {
  const { run, device, deviceIndex, devices, seq } = first.context
  const { task, traceparent } = next
  return {
    id: `${first.id}/${task}`,
    subject: first.subject,
    inputs: Object.fromEntries(items.map(({ data, value }) => [data, { kind: 'one', value }])),
    context: {
      ...{ run, task, device, deviceIndex, devices, seq },
      ...(traceparent !== undefined && { traceparent }),
    },
    key: undefined,
    timeoutMs: config.timeoutMs,
    deadline: undefined,
    fromCore: true,
    json: false,
    sink: undefined,
    bytesIn: items.reduce((sum, { value }) => sum + value.bytes.length, 0),
    next: [],
  }
}
