/** A request that the exchange refuses. */
export class ExchangeError extends Error {
  override readonly name: string = 'ExchangeError'
}

/** A node did not answer, after all tries. A message may have been published all the same. */
export class UnreachableError extends ExchangeError {
  override readonly name = 'UnreachableError'
}

/** A client, an edge node or a backend is closed. */
export class ExchangeClosedError extends ExchangeError {
  override readonly name = 'ExchangeClosedError'

  constructor() {
    super('The exchange is closed.')
  }
}

/** An object has another consistency than the one it was asked for with. */
export class ConsistencyError extends ExchangeError {
  override readonly name = 'ConsistencyError'
}

/** The copy of an eventual object is older than its recency bound, and the backend does not answer. */
export class StaleError extends ExchangeError {
  override readonly name = 'StaleError'
}

/** A transaction was aborted: another one has written the same objects first, or its snapshot is no longer kept. Nothing was written. */
export class ConflictError extends ExchangeError {
  override readonly name = 'ConflictError'
}

const CODED = { consistency: ConsistencyError, stale: StaleError, conflict: ConflictError }

/** Code by which a refusal is told apart on the wire; undefined for one without its own class. */
export const codeOf = (error: Error): string | undefined =>
  Object.entries(CODED).find(([, type]) => error instanceof type)?.[0]

/** The error of a refusal. */
export function errorOf(message: string, code: unknown): ExchangeError {
  const type = Object.entries(CODED).find(([each]) => each === code)?.[1] ?? ExchangeError
  return new type(message)
}
