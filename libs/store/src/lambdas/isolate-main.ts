/** The isolated side of a lambda: the program of its thread or process. */
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { LambdaContext, LambdaFunction, LambdaStore } from '../contract.ts'
import { LambdaError } from '../errors.ts'
import { resultsOf } from './destinations.ts'
import {
  type FromIsolate,
  type IsolateSetup,
  METHODS,
  plainError,
  revivedError,
  type ToIsolate,
  type WorkerSetup,
} from './messages.ts'

/** How long a thread looks for the next object, in ms, before it sleeps: being woken takes longer than a short lambda does. */
const LOOK_MS = 0.05
/** How long a thread sleeps for the next object, before it serves its event loop again. */
const SLEEP_MS = 2

/** Null in a process. */
const thread = workerData as WorkerSetup | null
const port = thread?.port
const send = (message: FromIsolate): void => {
  if (port) port.postMessage(message)
  else process.send?.(message)
}

const calls = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
let lastCall = 0
let ready: Promise<{ lambda: LambdaFunction; context: LambdaContext; returns: boolean }> | null = null

const callStore = (method: keyof LambdaStore, args: unknown[]): Promise<unknown> =>
  new Promise((resolve, reject) => {
    calls.set(++lastCall, { resolve, reject })
    send({ kind: 'call', call: lastCall, method, args })
  })

const store = Object.fromEntries(
  METHODS.map((method) => [method, (...args: unknown[]) => callStore(method, args)]),
) as unknown as LambdaStore

async function load({ module, export: name, config, returns }: IsolateSetup) {
  const lambda = ((await import(module)) as Record<string, unknown>)[name]
  if (typeof lambda !== 'function') throw new LambdaError(`${module} exports no function '${name}'.`)
  return { lambda: lambda as LambdaFunction, context: { store, config }, returns }
}

async function run(message: Extract<ToIsolate, { kind: 'run' }>): Promise<void> {
  try {
    const loaded = await ready
    const returned = await loaded?.lambda(message.object, loaded.context)
    send({ kind: 'done', results: loaded?.returns ? resultsOf(returned) : [] })
  } catch (error) {
    send({ kind: 'failed', error: plainError(error) })
  }
  // After a turn of the event loop, so that what the lambda has left running there goes on also under load.
  if (thread) setImmediate(() => sleep(thread))
}

/** Waits for a message. */
function sleep({ sent, port: from }: WorkerSetup): void {
  const before = Atomics.load(sent, 0)
  if (receiveAll(from)) return
  const until = performance.now() + LOOK_MS
  while (performance.now() < until) if (Atomics.load(sent, 0) !== before) break
  if (Atomics.wait(sent, 0, before, SLEEP_MS) !== 'timed-out') receiveAll(from)
}

function receiveAll(from: WorkerSetup['port']): boolean {
  let some = false
  for (let next = receiveMessageOnPort(from); next; next = receiveMessageOnPort(from)) {
    some = true
    receive(next.message as ToIsolate)
  }
  return some
}

function receive(message: ToIsolate): void {
  if (message.kind === 'setup') {
    ready = load(message.setup)
    ready.catch(() => {}).then(() => send({ kind: 'ready' }))
  } else if (message.kind === 'run') void run(message)
  else settle(message)
}

function settle(message: Extract<ToIsolate, { kind: 'answer' | 'refusal' }>): void {
  const call = calls.get(message.call)
  calls.delete(message.call)
  if (message.kind === 'answer') call?.resolve(message.result)
  else call?.reject(revivedError(message.error))
}

if (port) port.on('message', receive)
else {
  process.on('message', receive)
  process.on('disconnect', () => process.exit())
}
