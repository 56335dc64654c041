/** Messages between a store and an isolated lambda. */
import type { MessagePort } from 'node:worker_threads'
import type { LambdaObject, LambdaResult, LambdaStore } from '../contract.ts'
import * as errors from '../errors.ts'

/** What the isolated side is started with. */
export interface IsolateSetup {
  module: string
  export: string
  config: unknown
  /** Whether what the lambda returns is sent back. */
  returns: boolean
}

/** What a thread finds as its `workerData`. */
export interface WorkerSetup {
  /** Counts the messages sent to it. */
  sent: Int32Array<SharedArrayBuffer>
  port: MessagePort
}

/** To the isolated side. */
export type ToIsolate =
  | { kind: 'setup'; setup: IsolateSetup }
  | { kind: 'run'; object: LambdaObject }
  | { kind: 'answer'; call: number; result: unknown }
  | { kind: 'refusal'; call: number; error: PlainError }

/** From the isolated side. */
export type FromIsolate =
  /** The module is loaded, or its loading has failed, which each invocation reports. */
  | { kind: 'ready' }
  | { kind: 'done'; results: LambdaResult[] }
  | { kind: 'failed'; error: PlainError }
  | { kind: 'call'; call: number; method: keyof LambdaStore; args: unknown[] }

/** The operations that an isolated lambda may ask for. */
export const METHODS: readonly (keyof LambdaStore)[] = [
  'get',
  'getSize',
  'multiGet',
  'listObjects',
  'listKeys',
  'history',
  'changes',
  'time',
  'put',
  'putBatch',
  'remove',
  'triggerPut',
]

/** An error as data. */
export interface PlainError {
  name: string
  message: string
  stack: string | undefined
  fields: Record<string, unknown>
}

export function plainError(thrown: unknown): PlainError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const { name, message, stack } = error
  return { name, message, stack, fields: error instanceof errors.StoreError ? { ...error } : {} }
}

/** The error of a `PlainError`, of the same class when it is one of the store's. */
export function revivedError({ name, message, stack, fields }: PlainError): Error {
  const known = (errors as Record<string, { prototype: Error } | undefined>)[name]
  const error = Object.create(known?.prototype ?? Error.prototype) as Error
  for (const [field, value] of Object.entries({ message, stack }))
    Object.defineProperty(error, field, { value, writable: true, configurable: true })
  return Object.assign(error, known ? { ...fields, name } : { name })
}
