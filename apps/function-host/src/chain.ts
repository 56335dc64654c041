/** The co-placed tasks that a call goes on with: each is called with the item of the one before, in the memory of the host. */
import type { Emitted, NextTask } from '@hivemind/task-runner'
import { type AnswerContext, StreamAnswer } from './answer.ts'
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

  /** Invokes a task, and each that follows it as soon as it has emitted its item. Resolves when all have ended and are answered. */
  async run(first: HostedTask): Promise<void> {
    const { call, response } = this.#context
    await this.#invoke(first, call, undefined)
    for (let going = this.#going.splice(0); going.length > 0; going = this.#going.splice(0))
      await Promise.all(going)
    response.end()
  }

  #invoke(hosted: HostedTask, call: Call, task: string | undefined): Promise<void> {
    const answer = new StreamAnswer(
      { ...this.#context, config: hosted.config, call },
      { isLast: false, task },
    )
    return invoke(hosted, call, answer, this.#signal, {
      ...this.#events,
      onItem: (item) => this.#follow(hosted, call, item),
    })
  }

  #follow({ config }: HostedTask, call: Call, item: Emitted): void {
    for (const next of this.#next) {
      const hosted = this.#tasks.following(config.task, next.task)
      if (hosted) this.#going.push(this.#invoke(hosted, callWith(item, hosted, call, next), next.task))
    }
  }
}

/** The call of a task with the item of the one before it. */
function callWith({ value }: Emitted, { config }: HostedTask, before: Call, next: NextTask): Call {
  const { run, device, deviceIndex, devices, seq } = before.context
  const { task, traceparent } = next
  return {
    id: `${before.id}/${task}`,
    subject: before.subject,
    inputs: { [config.dataIn[0] ?? '']: { kind: 'one', value } },
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
    bytesIn: value.bytes.length,
    next: [],
  }
}
