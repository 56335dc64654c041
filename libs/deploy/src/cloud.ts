/** The cloud of the local target: functions behind HTTP, and the sink where their items arrive. */
import { createServer, type Server } from 'node:http'
import os from 'node:os'
import { type Timing, type Work, WorkFailure } from '@hivemind/orchestrator'
import type { PlanTask, Synthesis } from '@hivemind/synthesis'
import type { InvocationContext } from '@hivemind/task-runner'
import { CloudEvent, HTTP } from 'cloudevents'
import { Agent } from 'undici'
import {
  answerJson,
  type FunctionAnswer,
  type FunctionHost,
  type InvocationData,
  listen,
  post,
  readBody,
  startFunctions,
} from './functions.ts'
import { FunctionPool } from './pool.ts'
import { CBOR, decodeValue, encodeValue } from './values.ts'

/** Most instances of one function. */
const POOL_SIZE = Math.max(2, Math.min(4, os.availableParallelism()))

type Emit = (index: number, value: unknown) => void

export interface CloudOptions {
  synthesis: Synthesis
  bundleDirs: Record<string, string>
  now: () => number
  onLog: (
    task: string,
    context: InvocationContext,
    level: 'debug' | 'info' | 'warn' | 'error',
    text: string,
  ) => void
}

export class Cloud {
  readonly functions: PlanTask[]
  readonly #options: CloudOptions
  readonly #pools: Map<string, { task: PlanTask; pool: FunctionPool }>
  readonly #emits = new Map<string, Emit>()
  readonly #client = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  #sink: Server | undefined
  #host: FunctionHost | undefined
  #started: Promise<void> | undefined

  constructor(options: CloudOptions) {
    this.#options = options
    this.functions = options.synthesis.plan.tasks.filter((task) => task.tier === 'cloud')
    this.#pools = new Map(
      this.functions.map((task) => [
        task.name,
        {
          task,
          pool: new FunctionPool(
            {
              task: task.name,
              runtime: task.runtime,
              dir: options.bundleDirs[task.name] ?? '.',
              code: task.code,
              args: task.args,
              memoryMB: task.memoryMB,
            },
            task.stateKey === undefined ? POOL_SIZE : 1,
          ),
        },
      ]),
    )
  }

  /** Starts the sink and the functions, each with one warm instance. Rejects with `TaskError` when code cannot load. */
  start(): Promise<void> {
    this.#started = this.#start()
    return this.#started
  }

  async #start(): Promise<void> {
    this.#sink = createServer({ requestTimeout: 0 }, (incoming, response) => {
      readBody(incoming)
        .then((body) => {
          const event = HTTP.toEvent({ headers: incoming.headers, body }) as CloudEvent<Buffer>
          const emit = this.#emits.get(String(event.hminvocation))
          if (!emit) return answerJson(response, 410, { error: 'Nobody waits for this event any more.' })
          emit(Number(event.hmindex), decodeValue(event.data ?? Buffer.alloc(0)))
          answerJson(response, 200, null)
        })
        .catch((error: Error) => answerJson(response, 400, { error: error.message }))
    })
    const sink = `${await listen(this.#sink)}/`
    const { now, onLog, synthesis } = this.#options
    this.#host = await startFunctions({
      workflow: synthesis.plan.workflow,
      functions: this.#pools,
      sink,
      now,
      onLog,
    })
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.warm()))
  }

  /** Runs one invocation as a CloudEvent to its function; rejects with `WorkFailure`. */
  async invoke(work: Work, context: InvocationContext, emit: Emit, signal: AbortSignal): Promise<Timing> {
    const { now, synthesis } = this.#options
    const { key, run, epoch } = work
    const id = `${run}/${key.task}/${key.device}/${key.seq}/${epoch}`
    const from = now()
    const data: InvocationData = { inputs: work.inputs, context }
    const event = new CloudEvent({
      id,
      type: `dev.hivemind.${synthesis.plan.workflow}.invoke`,
      source: `/hivemind/${synthesis.plan.workflow}`,
      subject: `${key.device}/${key.seq}`,
      datacontenttype: CBOR,
      data: encodeValue(data),
    })
    this.#emits.set(id, emit)
    try {
      const url = `${this.#host?.url}/functions/${encodeURIComponent(key.task)}`
      const answer = (await post(this.#client, url, event, signal)) as FunctionAnswer
      if (!answer.ok) throw new WorkFailure(answer.kind, answer.message, answer.detail)
      const total = now() - from
      const management = answer.waitMs + answer.startMs + answer.waitedMs
      return {
        worker: answer.worker,
        startedAt: answer.startedAt,
        endedAt: now(),
        breakdown: {
          network: 0,
          management,
          dataExchange: Math.max(0, total - management - answer.executionMs),
          execution: answer.executionMs,
        },
        bytesIn: answer.bytesIn,
        bytesOut: answer.bytesOut,
        items: answer.items,
      }
    } catch (error) {
      if (error instanceof WorkFailure) throw error
      if (signal.aborted) throw new WorkFailure('cancelled', 'The invocation was cancelled.')
      throw new WorkFailure('crash', `The function '${key.task}' did not answer: ${(error as Error).message}`)
    } finally {
      this.#emits.delete(id)
    }
  }

  /** Also in the midst of a start, which then rejects. */
  async stop(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(({ pool }) => pool.close()))
    await this.#started?.catch(() => {})
    await this.#host?.close()
    const sink = this.#sink
    if (sink) {
      sink.closeAllConnections()
      await new Promise<void>((resolve) => sink.close(() => resolve()))
    }
    await this.#client.destroy()
  }
}
