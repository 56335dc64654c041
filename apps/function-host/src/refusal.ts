/** An answer other than success to a request that the function does not take. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** HTTP status. */
  readonly status: number

  /** @param message a sentence for the caller */
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
