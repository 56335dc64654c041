/** Runs a lambda in a worker thread or a process of its own. */
import { fork } from 'node:child_process'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Lambda, LambdaContext, LambdaFunction, LambdaObject, LambdaStore } from '../contract.ts'
import { LambdaError } from '../errors.ts'
import { onCore } from './cores.ts'
import {
  type FromIsolate,
  METHODS,
  plainError,
  revivedError,
  type ToIsolate,
  type WorkerSetup,
} from './messages.ts'
import type { BindingOptions } from './options.ts'

type IsolatedLambda = Exclude<Lambda, LambdaFunction>

/** A running thread or process. */
interface Isolate {
  send(message: ToIsolate, transfer: ArrayBuffer[]): void
  stop(): void
  /** Whether it keeps this process alive. */
  hold(alive: boolean): void
}

interface Listeners {
  message: (message: FromIsolate) => void
  /** Called once, with how it ended. */
  exit: (how: string) => void
}

/**
 * How long the store looks for the answer of a thread at each turn of its event loop, in ms, before it waits for it: waking an event loop takes
 * longer than a short lambda does.
 */
const LOOK_MS = 0.05

/** Copying less than this takes less time than giving it away. */
const MIN_TRANSFER_BYTES = 4096

const MAIN = new URL('./isolate-main.ts', import.meta.url)

const START: Record<
  IsolatedLambda['isolation'],
  (listeners: Listeners, core: number | undefined) => Isolate
> = {
  worker({ message, exit }) {
    // Counts messages to the thread, which sleeps on it between invocations: waking it so is faster than by its event loop.
    const sent = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const { port1: port, port2: theirs } = new MessageChannel()
    const setup: WorkerSetup = { sent, port: theirs }
    const worker = new Worker(MAIN, { workerData: setup, transferList: [theirs] })
    let ended = 'its thread ended'
    let lookUntil = 0
    let looking = false
    const received = (from: FromIsolate) => {
      if (from.kind === 'done' || from.kind === 'failed') lookUntil = 0
      message(from)
    }
    const look = () => {
      looking = false
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
        received(next.message)
      lookAgain()
    }
    const lookAgain = () => {
      if (looking || performance.now() >= lookUntil) return
      looking = true
      setImmediate(look)
    }
    port.on('message', received)
    worker.on('error', (error) => {
      ended = `its thread failed: ${error.message}`
    })
    worker.once('exit', () => {
      port.close()
      exit(ended)
    })
    return {
      send(message, transfer) {
        port.postMessage(message, transfer)
        Atomics.add(sent, 0, 1)
        Atomics.notify(sent, 0)
        lookUntil = performance.now() + LOOK_MS
        lookAgain()
      },
      stop: () => void worker.terminate(),
      hold(alive) {
        const method = alive ? 'ref' : 'unref'
        worker[method]()
        port[method]()
      },
    }
  },
  process({ message, exit }, core) {
    const child = fork(MAIN, {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      ...(core !== undefined && onCore(core)),
    })
    child.on('message', message)
    child.once('error', (error) => exit(`its process failed: ${error.message}`))
    child.once('exit', (code, signal) => exit(`its process ended (${signal ?? `exit code ${code}`})`))
    return {
      // What cannot be sent has its cause in the end of the process, which is reported by itself.
      send: (sent) => void child.send(sent, () => {}),
      stop: () => void child.kill('SIGKILL'),
      hold(alive) {
        const method = alive ? 'ref' : 'unref'
        child[method]()
        child.channel?.[method]()
      },
    }
  },
}

/** Starts its thread or process at the first invocation, and again after it has ended. */
export class IsolatedRunner {
  readonly #lambda: IsolatedLambda
  readonly #context: LambdaContext
  readonly #options: BindingOptions
  readonly #core: number | undefined
  #isolate: Isolate | null = null
  /** The thread or process takes invocations. */
  #ready = false
  #timer: NodeJS.Timeout | undefined
  #end: { resolve: (results: unknown) => void; reject: (error: Error) => void } | null = null

  /** @param core the one that its process stays on; any when undefined */
  constructor(
    lambda: IsolatedLambda,
    context: LambdaContext,
    options: BindingOptions,
    core: number | undefined,
  ) {
    this.#lambda = lambda
    this.#context = context
    this.#options = options
    this.#core = core
  }

  /** Resolves with the results, when the binding has destinations for them. */
  run(object: LambdaObject, owned: boolean): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(this.#timer)
        this.#end = null
        this.#isolate?.hold(false)
        finish()
      }
      this.#end = {
        resolve: (results) => settle(() => resolve(results)),
        reject: (error) => settle(() => reject(error)),
      }
      this.#isolate ??= this.#start()
      this.#isolate.hold(true)
      if (this.#ready) this.#limitTime()
      const { bytes } = object
      const large = owned && bytes && bytes.length >= MIN_TRANSFER_BYTES
      const transfer = large && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
      this.#isolate.send({ kind: 'run', object }, transfer)
    })
  }

  close(): void {
    this.#stop('the lambda was closed')
  }

  #start(): Isolate {
    this.#ready = false
    const { module, export: name = 'default', isolation } = this.#lambda
    const listeners: Listeners = {
      message: (message) => this.#isolate === isolate && this.#receive(message),
      exit: (how) => this.#isolate === isolate && this.#stop(how),
    }
    const isolate = START[isolation](listeners, this.#core)
    const returns = (this.#options.destinations ?? []).length > 0
    const setup = { module, export: name, config: this.#context.config, returns }
    isolate.send({ kind: 'setup', setup }, [])
    return isolate
  }

  /** Starting a thread or a process does not count. */
  #limitTime(): void {
    const { timeoutMs } = this.#options
    if (timeoutMs === undefined) return
    this.#timer = setTimeout(() => this.#stop(`it took longer than ${timeoutMs} ms`), timeoutMs)
  }

  #stop(why: string): void {
    this.#isolate?.stop()
    this.#isolate = null
    this.#end?.reject(new LambdaError(`The lambda of ${this.#lambda.module} gave no answer: ${why}.`))
  }

  #receive(message: FromIsolate): void {
    if (message.kind === 'ready') {
      this.#ready = true
      if (this.#end) this.#limitTime()
    }
    if (message.kind === 'done') this.#end?.resolve(message.results)
    if (message.kind === 'failed') this.#end?.reject(revivedError(message.error))
    if (message.kind === 'call') void this.#call(message.call, message.method, message.args)
  }

  async #call(call: number, method: keyof LambdaStore, args: unknown[]): Promise<void> {
    const isolate = this.#isolate
    try {
      if (!METHODS.includes(method)) throw new LambdaError(`A lambda cannot call '${method}'.`)
      const operation = this.#context.store[method] as (...args: unknown[]) => Promise<unknown>
      const result = await operation.apply(this.#context.store, args)
      isolate?.send({ kind: 'answer', call, result }, [])
    } catch (error) {
      isolate?.send({ kind: 'refusal', call, error: plainError(error) }, [])
    }
  }
}
