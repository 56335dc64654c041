/** A runner: at most one process, one invocation at a time, a fresh process after a failure that ended the last. */
import { TaskError } from './error.ts'
import { type FramedInput, type FramedValue, Payloads, type Report, receivedValue } from './frames.ts'
import { cutLine } from './log-lines.ts'
import { Pacer, TimeLimit } from './pace.ts'
import { memorySentence, TaskProcess } from './process.ts'
import { MAX_PROCESSES } from './sandbox/limits.ts'
import type { Emitted, Invocation, InvocationResult, RunnerSpec, TaskInput, TaskRunner } from './types.ts'

/** Longest time code may take to load, in ms. */
const LOAD_LIMIT_MS = 60_000
/** How often it is looked at what a process and all it has started take: while it works, and between calls. */
const WATCH_MS = 150
const IDLE_WATCH_MS = 1_000

/** Makes a runner; its process starts with the first invocation, or with `warm`. */
export function createTaskRunner(spec: RunnerSpec): TaskRunner {
  return new Runner(spec)
}

/** Whether a task keeps state, and by which field, of the state key of its plan: `device`, a field, or none. */
export function keptState(key: string | undefined): Pick<RunnerSpec, 'stateful' | 'stateField'> {
  if (key === undefined) return { stateful: false }
  return { stateful: true, ...(key !== 'device' && { stateField: key }) }
}

const processesSentence = (task: string): string =>
  `Task '${task}' had more than ${MAX_PROCESSES} processes at once and was stopped.`

/** Supervision of a process while it loads or works. */
interface Watch {
  limit: TimeLimit
  end(): void
}

class Runner implements TaskRunner {
  readonly #spec: RunnerSpec
  #process: TaskProcess | undefined
  #last: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(spec: RunnerSpec) {
    this.#spec = spec
  }

  warm(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#ready(undefined)
    })
  }

  invoke(invocation: Invocation): Promise<InvocationResult> {
    return this.#inTurn(async () => {
      if (invocation.signal?.aborted) throw new TaskError('cancelled', 'The invocation was cancelled.')
      const from = performance.now()
      const cold = !this.#process?.alive
      const process = await this.#ready(invocation)
      return this.#call(process, invocation, cold ? performance.now() - from : 0)
    })
  }

  memoryMB(): number {
    return this.#process?.alive ? this.#process.use().nowMB : 0
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#process?.kill(new TaskError('cancelled', 'The runner was closed.'))
    await this.#process?.exited
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      if (this.#closed) throw new TaskError('cancelled', 'The runner was closed.')
      return work()
    })
    this.#last = turn.catch(() => {})
    return turn
  }

  async #ready(invocation: Invocation | undefined): Promise<TaskProcess> {
    if (this.#process?.alive) return this.#process
    const { code, runtime, args, task, outputType, stateful = true, stateField } = this.#spec
    const process = new TaskProcess(this.#spec)
    this.#process = process
    this.#guard(process)
    const watch = this.#watch(process, LOAD_LIMIT_MS, 'load', invocation?.signal)
    try {
      await new Promise<void>((resolve, reject) => {
        process.attach(
          (report) => {
            if (report.t === 'loaded') resolve()
            else if (report.t === 'failed') {
              const error = failureOf(task, { ...report, kind: 'load' }, process.offline)
              process.kill(error)
              reject(error)
            }
          },
          reject,
          (text, stream) =>
            (invocation ? invocation.onLog : this.#spec.onLoadLog)?.(
              stream === 'stderr' ? 'warn' : 'info',
              text,
            ),
        )
        process.send({
          t: 'load',
          dir: process.dir,
          code,
          runtime,
          args,
          stateful,
          ...(stateField !== undefined && { stateField }),
          ...(outputType !== undefined && { outputType }),
        })
      })
    } finally {
      watch.end()
    }
    return process
  }

  async #call(process: TaskProcess, invocation: Invocation, startMs: number): Promise<InvocationResult> {
    const watch = this.#watch(process, invocation.timeoutMs, 'timeout', invocation.signal)
    try {
      const call = new Call(process, invocation, this.#spec.task, watch.limit)
      const from = performance.now()
      const { executionMs, waitedMs, handingMs, ...result } = await call.run()
      const spentMs = executionMs + waitedMs + handingMs + result.pacedMs
      const callMs = Math.max(0, performance.now() - from - spentMs)
      return { ...result, executionMs, waitedMs, callMs, startMs, peakMemoryMB: process.use().peakMB }
    } finally {
      watch.end()
      process.attach(
        () => {},
        () => {},
        () => {},
      )
    }
  }

  /** Looks after what the code leaves running between calls. */
  #guard(process: TaskProcess): void {
    const timer = setInterval(() => this.#checkUse(process), IDLE_WATCH_MS).unref()
    void process.exited.then(() => clearInterval(timer))
  }

  /** Ends the process when it and what it has started take too much. */
  #checkUse(process: TaskProcess): void {
    const { task, memoryMB } = this.#spec
    const { nowMB, processes } = process.use()
    if (nowMB > memoryMB && (processes === 1 || process.sharedOnceMB() > memoryMB))
      process.kill(new TaskError('memory', memorySentence(this.#spec)))
    if (processes > MAX_PROCESSES) process.kill(new TaskError('crash', processesSentence(task)))
  }

  /** Ends the process when it takes too long, takes too much memory, or is not wanted any more. */
  #watch(
    process: TaskProcess,
    limitMs: number,
    what: 'load' | 'timeout',
    signal: AbortSignal | undefined,
  ): Watch {
    const { task } = this.#spec
    const limit = new TimeLimit(limitMs, () => {
      const seconds = limitMs / 1000
      process.kill(
        new TaskError(
          what,
          what === 'load'
            ? `The code of task '${task}' did not finish loading within ${seconds} s.`
            : `Task '${task}' ran longer than ${seconds} s and was stopped; fix the code or give the task timeout='${seconds * 2}s'.`,
        ),
      )
    })
    const use = setInterval(() => this.#checkUse(process), WATCH_MS)
    const abort = (): void => process.kill(new TaskError('cancelled', 'The invocation was cancelled.'))
    signal?.addEventListener('abort', abort, { once: true })
    return {
      limit,
      end: () => {
        limit.pause()
        clearInterval(use)
        signal?.removeEventListener('abort', abort)
      },
    }
  }
}

/** What Node.js and Python say when there is no network. */
const NO_NETWORK =
  /ENETUNREACH|EAI_AGAIN|Network is unreachable|Temporary failure in name resolution|ECONNREFUSED|Connection refused/

function failureOf(
  task: string,
  { kind, message, detail }: Extract<Report, { t: 'failed' }>,
  offline: boolean,
): TaskError {
  const hint =
    offline && NO_NETWORK.test(message + detail)
      ? " The sandbox of task code has no network, not even that of this machine: give the task network='all' if it is to have it."
      : ''
  return new TaskError(kind, `Task '${task}': ${message}${hint}`, detail)
}

type CallResult = Omit<InvocationResult, 'callMs' | 'startMs' | 'peakMemoryMB'> & { handingMs: number }

/** One invocation of a process that has loaded its code. */
class Call {
  readonly #process: TaskProcess
  readonly #invocation: Invocation
  readonly #task: string
  readonly #limit: TimeLimit
  readonly #pacer: Pacer
  #items = 0
  /** Whether the newest item has been handed on. */
  #handedOn: Promise<boolean> = Promise.resolve(true)
  #decisions = 0
  #handingMs = 0
  #pacedMs = 0
  #state: Uint8Array | undefined

  constructor(process: TaskProcess, invocation: Invocation, task: string, limit: TimeLimit) {
    this.#process = process
    this.#invocation = invocation
    this.#task = task
    this.#limit = limit
    this.#pacer = new Pacer(invocation.paceMs ?? 0)
  }

  run(): Promise<CallResult> {
    const { inputs, context, state, scatterTo, onLog } = this.#invocation
    return new Promise((resolve, reject) => {
      this.#process.attach(
        (report, payloads) => this.#on(report, payloads, resolve, reject),
        reject,
        (text, stream) => onLog?.(stream === 'stderr' ? 'warn' : 'info', text),
      )
      const payloads = new Payloads()
      const framed = Object.fromEntries(
        Object.entries(inputs).map(([name, input]) => [name, framedInput(input, payloads)]),
      )
      this.#process.send(
        {
          t: 'invoke',
          inputs: framed,
          context: { ...context },
          ...(state && state.length > 0 && { state: payloads.bytes(state) }),
          ...(scatterTo && { scatterTo }),
        },
        payloads.all,
      )
    })
  }

  #on(
    report: Report,
    payloads: Uint8Array[],
    resolve: (result: CallResult) => void,
    reject: (error: TaskError) => void,
  ): void {
    const { onLog, onDecision } = this.#invocation
    if (report.t === 'log') onLog?.(levelOf(report.level), cutLine(report.text))
    else if (report.t === 'decision') {
      this.#decisions += 1
      onDecision?.(receivedValue(report.value, payloads))
    } else if (report.t === 'item') this.#handedOn = this.#handOn(report, payloads)
    else if (report.t === 'done') {
      const { executionMs, waitedMs } = report
      const state = this.#stateOf(report.state, payloads)
      void this.#handedOn.then((handedOn) => {
        if (!handedOn) return
        resolve({
          executionMs,
          waitedMs,
          handingMs: this.#handingMs,
          pacedMs: this.#pacedMs,
          items: this.#items,
          decisions: this.#decisions,
          ...(state && { state }),
        })
      })
    } else if (report.t === 'failed') reject(failureOf(this.#task, report, this.#process.offline))
  }

  /**
   * Hands an item on and lets the code go on; the process waits meanwhile, so there is one at a time. Returns false when
   * the process was stopped instead.
   */
  async #handOn(report: Extract<Report, { t: 'item' }>, payloads: Uint8Array[]): Promise<boolean> {
    const { firstIndex = 0, onItem } = this.#invocation
    this.#limit.pause()
    const item: Emitted = { value: receivedValue(report.value, payloads) }
    if (report.parts) item.parts = partsOf(report.parts, payloads)
    if (report.state !== undefined) item.state = this.#stateOf(report.state, payloads) as Uint8Array
    const index = firstIndex + this.#items
    this.#items += 1
    const from = performance.now()
    try {
      await onItem(item, index)
    } catch (error) {
      const message = `Its output could not be handed on: ${(error as Error).message}`
      this.#process.kill(new TaskError('cancelled', message))
      return false
    }
    this.#handingMs += performance.now() - from
    const due = report.last ? null : this.#pacer.next()
    if (due) this.#pacedMs += await due
    if (!this.#process.alive) return false
    this.#limit.resume()
    if (!report.last) this.#process.send({ t: 'ack' })
    return true
  }

  /** Keeps the state that a report brings; returns the newest. */
  #stateOf(index: number | undefined, payloads: Uint8Array[]): Uint8Array | undefined {
    if (index !== undefined) this.#state = payloads[index]
    return this.#state
  }
}

function framedInput(input: TaskInput, payloads: Payloads): FramedInput {
  if (input.kind === 'none') return null
  if (input.kind === 'one') return payloads.value(input.value)
  return input.items.map(({ device, seq, value }) => ({ device, seq, value: payloads.value(value) }))
}

function partsOf(parts: Record<string, FramedValue>, payloads: Uint8Array[]): Emitted['parts'] {
  return Object.fromEntries(
    Object.entries(parts).map(([key, value]) => [key, receivedValue(value, payloads)]),
  )
}

function levelOf(text: string): 'debug' | 'info' | 'warn' | 'error' {
  return text === 'debug' || text === 'warn' || text === 'error' ? text : 'info'
}
