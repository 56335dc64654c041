export { MAX_VALUE_BYTES } from './checks.ts'
export { type Clock, systemClock } from './clock.ts'
export type {
  BatchEntry,
  Binding,
  HistoryRange,
  Lambda,
  LambdaContext,
  LambdaFunction,
  LambdaObject,
  LambdaOptions,
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
export { holds, MAX_PATH_BYTES } from './paths.ts'
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
