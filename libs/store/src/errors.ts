/** A request that the store refuses. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError'
}

/** A path is malformed. */
export class InvalidPathError extends StoreError {
  override readonly name = 'InvalidPathError'
}

/** An option of a pool or of an operation is malformed. */
export class InvalidOptionError extends StoreError {
  override readonly name = 'InvalidOptionError'
}

/** No pool holds a path. */
export class UnknownPoolError extends StoreError {
  override readonly name = 'UnknownPoolError'

  constructor(path: string) {
    super(`No pool holds '${path}'. Create one with createPool first.`)
  }
}

/** A pool cannot be created, because a different one is in its place. */
export class PoolConflictError extends StoreError {
  override readonly name = 'PoolConflictError'
}

/** The version of an object is not the one that a write expected. Nothing was written. */
export class VersionConflictError extends StoreError {
  override readonly name = 'VersionConflictError'
  readonly key: string
  /** Version the writer expected; 0 for no object. */
  readonly expected: number
  /** Version of the object; 0 for no object. */
  readonly actual: number

  constructor(key: string, expected: number, actual: number) {
    const versionText = (version: number) => (version === 0 ? 'no object' : `version ${version}`)
    super(
      `'${key}' was not written: expected ${versionText(expected)}, found ${versionText(actual)}. Read it again and retry.`,
    )
    this.key = key
    this.expected = expected
    this.actual = actual
  }
}

/** The version of a key that a read asks for was dropped by the retention of the pool. */
export class ForgottenVersionError extends StoreError {
  override readonly name = 'ForgottenVersionError'

  constructor(key: string, version: number, oldest: number) {
    super(
      `'${key}' as of version ${version} is not kept any more: the oldest kept version is ${oldest}. A pool with a longer retention keeps more.`,
    )
  }
}

/** A read asks for a version that the pool has not reached. */
export class FutureVersionError extends StoreError {
  override readonly name = 'FutureVersionError'

  constructor(pool: string, version: number, latest: number) {
    super(`Version ${version} of pool '${pool}' is not written yet: the latest is ${latest}.`)
  }
}

/** The store is closed. */
export class StoreClosedError extends StoreError {
  override readonly name = 'StoreClosedError'

  constructor() {
    super('The store is closed.')
  }
}

/** An isolated lambda ended without an answer, or took too long. */
export class LambdaError extends StoreError {
  override readonly name = 'LambdaError'
}

/** A write is kept by the primary, but fewer replicas than asked for have it in time: a failover may lose it. */
export class ReplicationError extends StoreError {
  override readonly name = 'ReplicationError'
}

/** Redis did not answer, or could not carry an operation out now. A write may have been carried out all the same. */
export class UnavailableError extends StoreError {
  override readonly name = 'UnavailableError'
}

/** The disk of an embedded store is full or fails. Nothing was written. */
export class StorageError extends StoreError {
  override readonly name = 'StorageError'

  constructor(reason: string) {
    super(
      `The store could not write to its folder: ${reason}. Nothing was written: make room on its disk and try again.`,
    )
  }
}
