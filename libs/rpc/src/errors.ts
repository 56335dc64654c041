/** Errors of a call. Each message is a sentence that can be shown. */

/** An exception that the IDL declares for the function, raised by the other side or to be thrown by a handler. */
export class RpcException extends Error {
  override name = 'RpcException'
  /** Name of the exception in the IDL. */
  readonly type: string
  readonly fields: Record<string, unknown>
  constructor(type: string, fields: Record<string, unknown>) {
    super(typeof fields.message === 'string' && fields.message !== '' ? fields.message : type)
    this.type = type
    this.fields = fields
  }
}

/** Thrift's own codes for faults that no IDL declares. */
export const APPLICATION_ERROR = {
  unknown: 0,
  unknownMethod: 1,
  invalidMessageType: 2,
  wrongMethodName: 3,
  badSequenceId: 4,
  missingResult: 5,
  internalError: 6,
  protocolError: 7,
} as const

/** The peer could not serve the call: an undeclared error in its handler, an unknown function, or arguments it could not read. */
export class TApplicationException extends Error {
  override name = 'TApplicationException'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Why a call did not come about; see `RpcError`. */
export type RpcErrorKind = 'connect' | 'closed' | 'timeout' | 'cancelled' | 'frame' | 'protocol' | 'value'

/**
 * The call failed without an answer of the peer.
 * `connect`: no connection. `closed`: it ended before the answer. `timeout`, `cancelled`: the caller's time limit or `signal`.
 * `frame`: a frame over the limit. `protocol`: bytes that are not Thrift. `value`: an argument that does not fit the IDL.
 */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly kind: RpcErrorKind
  constructor(kind: RpcErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
