export { MAX_VALUE_BYTES } from './checks.ts'
export { type Clock, systemClock } from './clock.ts'
export type {
  BatchEntry,
  Binding,
  Destination,
  HistoryRange,
  Lambda,
  LambdaContext,
  LambdaFunction,
  LambdaObject,
  LambdaOptions,
  LambdaResult,
  LambdaStatistics,
  LambdaStore,
  Moment,
  ObjectInfo,
  ObjectStream,
  Persistence,
  Pool,
  PoolOptions,
  PutOptions,
  Retention,
  Snapshot,
  Store,
  StoredObject,
  TriggerOptions,
  Watch,
} from './contract.ts'
export { StoreDataPort, type StoreDataPortOptions } from './data-port.ts'
export { type EmbeddedStore, type EmbeddedStoreOptions, openEmbeddedStore } from './embedded/store.ts'
export {
  ForgottenVersionError,
  FutureVersionError,
  InvalidOptionError,
  InvalidPathError,
  LambdaError,
  PoolConflictError,
  ReplicationError,
  StorageError,
  StoreClosedError,
  StoreError,
  UnavailableError,
  UnknownPoolError,
  VersionConflictError,
} from './errors.ts'
export { bindGraph, type GraphBinding, type GraphOptions, type GraphStatistics } from './graph/bind.ts'
export type { DataFlowGraph, GraphLambda, GraphPool, GraphVertex } from './graph/format.ts'
export { checkGraph, GraphError, parseGraph } from './graph/parse.ts'
export { holds, MAX_PATH_BYTES } from './paths.ts'
export type { ReadCacheOptions } from './redis/read-cache.ts'
export { openRedisStore, type RedisStoreOptions } from './redis/store.ts'
export {
  createTopic,
  type Offsets,
  publish,
  type SubscribeOptions,
  type Subscription,
  subscribe,
  TOPICS,
  type TopicMessage,
  type TopicOptions,
} from './topics.ts'
