/** The exchange: messages between devices, edge nodes and a backend node. */
export { Backend, type BackendOptions, DEFAULT_RETENTION } from './backend.ts'
export {
  type ClientOptions,
  ExchangeClient,
  type GetOptions,
  MAX_MESSAGE_BYTES,
} from './client.ts'
export { Edge, type EdgeOptions } from './edge.ts'
export {
  ConflictError,
  ConsistencyError,
  ExchangeClosedError,
  ExchangeError,
  StaleError,
  UnreachableError,
} from './errors.ts'
export type { PendingBounds } from './eventual/copies.ts'
export type { Declaration } from './eventual/declaration.ts'
export { EventualObject, type EventualReadOptions } from './eventual/eventual-object.ts'
export { LAST_WRITER, loadMerges, type Merge, type MergeFunctions } from './eventual/merges.ts'
export { type Address, DEFAULT_TRIES, type Tries } from './link.ts'
export { MAX_OBJECT_BYTES } from './objects/messages.ts'
export {
  type Access,
  type FunctionObjects,
  type ObjectLock,
  SharedObjects,
} from './objects/shared-objects.ts'
export type { Message } from './records.ts'
export type { ListenOptions } from './server.ts'
export type { Transaction, TransactionOptions } from './snapshots/transaction.ts'
export type { NodeTlsOptions, TlsOptions } from './tls.ts'
export type { Retention } from './topic-log.ts'
