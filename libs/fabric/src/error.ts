/** What can go wrong with a bitstream; a program decides by this word, a person reads the message. */
export type FabricErrorCode =
  | 'bad-parameters'
  | 'tool-missing'
  | 'stage-failed'
  | 'cancelled'
  | 'not-found'
  | 'damaged'
  | 'device-mismatch'
  | 'interface-mismatch'
  | 'timing-not-met'
  | 'not-trusted'
  | 'self-test-failed'
  | 'board'

/** An error with a sentence for people and a code for programs. */
export class FabricError extends Error {
  readonly code: FabricErrorCode

  constructor(code: FabricErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
