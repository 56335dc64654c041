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
export { type EmbeddedStoreOptions, MAX_VALUE_BYTES, openEmbeddedStore } from './embedded/store.ts'
export {
  ForgottenVersionError,
  FutureVersionError,
  InvalidOptionError,
  InvalidPathError,
  LambdaError,
  PoolConflictError,
  StoreClosedError,
  StoreError,
  UnknownPoolError,
  VersionConflictError,
} from './errors.ts'
export { MAX_PATH_BYTES } from './paths.ts'
