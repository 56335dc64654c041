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
