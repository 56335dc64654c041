/** The exchange: messages between devices, edge nodes and a backend node. */
export { Backend, type BackendOptions, DEFAULT_RETENTION } from './backend.ts'
export {
  type ClientOptions,
  ExchangeClient,
  type GetOptions,
  MAX_MESSAGE_BYTES,
  type Message,
} from './client.ts'
export { Edge, type EdgeOptions } from './edge.ts'
export { ExchangeClosedError, ExchangeError, UnreachableError } from './errors.ts'
export { type Address, DEFAULT_TRIES, type Tries } from './link.ts'
export {
  type Access,
  type FunctionObjects,
  MAX_OBJECT_BYTES,
  type ObjectLock,
  SharedObjects,
} from './objects/shared-objects.ts'
export type { ListenOptions } from './server.ts'
export type { Retention } from './topic-log.ts'
