/** A runner: at most one process, one invocation at a time, a fresh process after a failure that ended the last. */
import { TaskError } from './error.ts'
import { memorySentence, TaskProcess } from './process.ts'
import type { Invocation, InvocationResult, RunnerSpec, TaskRunner } from './types.ts'

/** Longest time code may take to load, in ms. */
const LOAD_LIMIT_MS = 60_000
const MEMORY_EVERY_MS = 150

/** Makes a runner; its process starts with the first invocation, or with `warm`. */
export function createTaskRunner(spec: RunnerSpec): TaskRunner {
  return new Runner(spec)
}

/** What the process tells of an invocation's time, in ms. */
type Own = Pick<InvocationResult, 'executionMs' | 'waitedMs'>

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
    const { dir, code, runtime, args, task } = this.#spec
    const process = new TaskProcess(this.#spec)
    this.#process = process
    const watch = this.#watch(process, LOAD_LIMIT_MS, 'load', invocation?.signal)
    try {
      await new Promise<void>((resolve, reject) => {
        process.attach(
          (report) => {
            if (report.t === 'loaded') resolve()
            else if (report.t === 'failed') {
              const error = new TaskError('load', `Task '${task}': ${report.message}`, report.detail)
              process.kill(error)
              reject(error)
            }
          },
          reject,
          (text, stream) => invocation?.onLog?.(stream === 'stderr' ? 'warn' : 'info', text),
        )
        process.send({ t: 'load', dir, code, runtime, args })
      })
    } finally {
      watch()
    }
    return process
  }

  async #call(process: TaskProcess, invocation: Invocation, startMs: number): Promise<InvocationResult> {
    const { inputs, context, timeoutMs, signal, onLog, onItem } = invocation
    let items = 0
    let handingMs = 0
    let handing: Promise<void> = Promise.resolve()
    const unwatch = this.#watch(process, timeoutMs, 'timeout', signal)
    try {
      const from = performance.now()
      const { executionMs, waitedMs } = await new Promise<Own>((resolve, reject) => {
        process.attach(
          (report) => {
            if (report.t === 'log') onLog?.(levelOf(report.level), report.text)
            else if (report.t === 'item') {
              const seq = items++
              const at = performance.now()
              handing = handing.then(() => onItem(report.value, seq))
              handing.then(
                () => {
                  handingMs += performance.now() - at
                  process.send({ t: 'ack' })
                },
                (error: Error) => {
                  process.kill(
                    new TaskError('cancelled', `Its output could not be handed on: ${error.message}`),
                  )
                },
              )
            } else if (report.t === 'done') resolve(report)
            else if (report.t === 'failed')
              reject(
                new TaskError(report.kind, `Task '${this.#spec.task}': ${report.message}`, report.detail),
              )
          },
          reject,
          (text, stream) => onLog?.(stream === 'stderr' ? 'warn' : 'info', text),
        )
        process.send({ t: 'invoke', inputs, context: { ...context } })
      })
      const callMs = Math.max(0, performance.now() - from - executionMs - waitedMs - handingMs)
      return { executionMs, waitedMs, callMs, startMs, items, peakMemoryMB: process.memory().peakMB }
    } finally {
      unwatch()
      process.attach(
        () => {},
        () => {},
        () => {},
      )
    }
  }

  /** Ends the process when it takes too long, takes too much memory, or is not wanted any more. */
  #watch(
    process: TaskProcess,
    limitMs: number,
    what: 'load' | 'timeout',
    signal: AbortSignal | undefined,
  ): () => void {
    const { task, memoryMB } = this.#spec
    const late = setTimeout(() => {
      const seconds = limitMs / 1000
      process.kill(
        new TaskError(
          what,
          what === 'load'
            ? `The code of task '${task}' did not finish loading within ${seconds} s.`
            : `Task '${task}' ran longer than ${seconds} s and was stopped; mend the code or give the task timeout='${seconds * 2}s'.`,
        ),
      )
    }, limitMs)
    const memory = setInterval(() => {
      if (process.memory().nowMB > memoryMB) process.kill(new TaskError('memory', memorySentence(this.#spec)))
    }, MEMORY_EVERY_MS)
    const abort = (): void => process.kill(new TaskError('cancelled', 'The invocation was cancelled.'))
    signal?.addEventListener('abort', abort, { once: true })
    return () => {
      clearTimeout(late)
      clearInterval(memory)
      signal?.removeEventListener('abort', abort)
    }
  }
}

function levelOf(text: string): 'debug' | 'info' | 'warn' | 'error' {
  return text === 'debug' || text === 'warn' || text === 'error' ? text : 'info'
}
