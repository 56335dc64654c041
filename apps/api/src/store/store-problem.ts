import {
  ForgottenVersionError,
  FutureVersionError,
  InvalidOptionError,
  InvalidPathError,
  PoolConflictError,
  ReplicationError,
  StorageError,
  StoreClosedError,
  type StoreError,
  UnavailableError,
  UnknownPoolError,
  VersionConflictError,
} from '@hivemind/store'
import { Problem } from '../common/problem.ts'

const STATUSES = [
  [InvalidPathError, 400],
  [InvalidOptionError, 400],
  [UnknownPoolError, 404],
  [FutureVersionError, 404],
  [PoolConflictError, 409],
  [VersionConflictError, 409],
  [ForgottenVersionError, 410],
  [ReplicationError, 503],
  [StoreClosedError, 503],
  [UnavailableError, 503],
  [StorageError, 507],
] as const

/** The problem that tells a caller of a refusal of the store; `null` when it is a fault of the service. */
export function storeProblem(error: StoreError): Problem | null {
  const [, status] = STATUSES.find(([kind]) => error instanceof kind) ?? []
  return status === undefined ? null : new Problem(status, error.message)
}
