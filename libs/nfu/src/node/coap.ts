/** Messages of CoAP (RFC 7252, section 3), as far as a network function looks at them. Reading one copies no bytes. */

/** Types of messages (section 4.2). */
export const CoapType = { CONFIRMABLE: 0, NON_CONFIRMABLE: 1, ACKNOWLEDGEMENT: 2, RESET: 3 } as const

const code = (group: number, detail: number): number => (group << 5) | detail

/** Methods and response codes (sections 5.8 and 5.9), as their byte in the header. */
export const CoapCode = {
  EMPTY: 0,
  GET: code(0, 1),
  POST: code(0, 2),
  PUT: code(0, 3),
  CHANGED: code(2, 4),
  CONTENT: code(2, 5),
  BAD_REQUEST: code(4, 0),
  BAD_OPTION: code(4, 2),
  FORBIDDEN: code(4, 3),
  NOT_FOUND: code(4, 4),
  METHOD_NOT_ALLOWED: code(4, 5),
  UNSUPPORTED_FORMAT: code(4, 15),
} as const

/** Media types of payloads (section 12.3; CBOR: RFC 8949). */
export const CoapFormat = { TEXT: 0, LINKS: 40, JSON: 50, CBOR: 60 } as const

const OPTION = { URI_HOST: 3, URI_PORT: 7, URI_PATH: 11, CONTENT_FORMAT: 12, URI_QUERY: 15, ACCEPT: 17 }
const UNDERSTOOD: readonly number[] = Object.values(OPTION)

/** Where the parts of a message are in its bytes. */
export interface CoapMessage {
  /** One of `CoapType`. */
  type: number
  /** One of `CoapCode`. */
  code: number
  id: number
  /** Offsets: the token is from 4 to here, the options from here to `optionsEnd`. */
  tokenEnd: number
  optionsEnd: number
  /** Offset of the first byte of the payload; the length of the message when it has none. */
  payloadAt: number
}

const HEADER_BYTES = 4
const PAYLOAD_MARKER = 0xff

/** Reads the header of a message and finds its payload; `undefined` for what is no message of version 1. */
export function readCoap(bytes: Uint8Array): CoapMessage | undefined {
  const first = bytes[0] ?? 0
  const tokenEnd = HEADER_BYTES + (first & 15)
  if (bytes.length < tokenEnd || first >> 6 !== 1 || (first & 15) > 8) return undefined
  let at = tokenEnd
  while (at < bytes.length && bytes[at] !== PAYLOAD_MARKER) {
    at = optionAt(bytes, at)?.end ?? bytes.length + 1
    if (at > bytes.length) return undefined
  }
  const hasPayload = at < bytes.length
  // a marker that nothing follows is an error (section 3.1)
  if (hasPayload && at + 1 === bytes.length) return undefined
  return {
    type: (first >> 4) & 3,
    code: bytes[1] as number,
    id: ((bytes[2] as number) << 8) | (bytes[3] as number),
    tokenEnd,
    optionsEnd: at,
    payloadAt: hasPayload ? at + 1 : at,
  }
}

/** An option: its number less that of the one before, and where its value is. */
interface OptionPlace {
  delta: number
  start: number
  end: number
}

function optionAt(bytes: Uint8Array, from: number): OptionPlace | undefined {
  const first = bytes[from] as number
  let at = from + 1
  const extended = (nibble: number): number => {
    if (nibble < 13) return nibble
    if (nibble === 13) return 13 + (bytes[at++] ?? Number.NaN)
    if (nibble === 14) return 269 + (((bytes[at++] ?? Number.NaN) << 8) | (bytes[at++] ?? Number.NaN))
    return Number.NaN
  }
  const delta = extended(first >> 4)
  const length = extended(first & 15)
  return at > bytes.length || Number.isNaN(delta + length)
    ? undefined
    : { delta, start: at, end: at + length }
}

/** What the options of a request say. */
export interface CoapRequest {
  path: string
  /** Media type of the payload; `undefined` when it is not said. */
  format: number | undefined
  /** There is an option that may not be passed over, and is not known here (section 5.4.1). */
  hasUnknownCritical: boolean
}

/** Reads the options of a message. */
export function requestOf(bytes: Buffer, message: CoapMessage): CoapRequest {
  const segments: string[] = []
  let format: number | undefined
  let hasUnknownCritical = false
  let number = 0
  for (let at = message.tokenEnd; at < message.optionsEnd; ) {
    const option = optionAt(bytes, at)
    if (!option) break
    number += option.delta
    const value = bytes.subarray(option.start, option.end)
    if (number === OPTION.URI_PATH) segments.push(value.toString('utf8'))
    else if (number === OPTION.CONTENT_FORMAT) format = value.reduce((sum, byte) => sum * 256 + byte, 0)
    else if (number % 2 === 1 && !UNDERSTOOD.includes(number)) hasUnknownCritical = true
    at = option.end
  }
  return { path: segments.join('/'), format, hasUnknownCritical }
}

/** The same message with another payload. */
export function withPayload(bytes: Uint8Array, message: CoapMessage, payload: Uint8Array): Buffer {
  const result = Buffer.allocUnsafe(message.optionsEnd + 1 + payload.length)
  result.set(bytes.subarray(0, message.optionsEnd))
  result[message.optionsEnd] = PAYLOAD_MARKER
  result.set(payload, message.optionsEnd + 1)
  return result
}

/** What a server answers to a confirmable request, in the message that acknowledges it (section 5.2.1). */
export interface CoapAnswer {
  code: number
  format?: number
  payload?: Uint8Array
}

/** The acknowledgement of a message, with the answer to it. */
export function acknowledgement(bytes: Uint8Array, message: CoapMessage, answer: CoapAnswer): Buffer {
  const { code: answered, format, payload = new Uint8Array() } = answer
  const token = bytes.subarray(HEADER_BYTES, message.tokenEnd)
  const option =
    format === undefined
      ? []
      : format === 0
        ? [OPTION.CONTENT_FORMAT << 4]
        : [(OPTION.CONTENT_FORMAT << 4) | 1, format]
  const marker = payload.length > 0 ? [PAYLOAD_MARKER] : []
  return Buffer.concat([
    header(CoapType.ACKNOWLEDGEMENT, token.length, answered, message.id),
    token,
    Uint8Array.from([...option, ...marker]),
    payload,
  ])
}

/** What answers a ping: an empty confirmable message (section 4.3). */
export const reset = (message: CoapMessage): Buffer => header(CoapType.RESET, 0, CoapCode.EMPTY, message.id)

function header(type: number, tokenLength: number, codeByte: number, id: number): Buffer {
  return Buffer.from([0x40 | (type << 4) | tokenLength, codeByte, id >> 8, id & 0xff])
}

/** A request with a path of one or more segments. Segments and token are short: below 13 and up to 8 bytes. */
export function encodeRequest(request: {
  type: number
  code: number
  id: number
  token?: Uint8Array
  path?: readonly string[]
  format?: number
  payload?: Uint8Array
}): Buffer {
  const { token = new Uint8Array(), path = [], format, payload } = request
  const parts: Uint8Array[] = [header(request.type, token.length, request.code, request.id), token]
  let number = 0
  const option = (of: number, value: Uint8Array): void => {
    if (value.length > 12) throw new RangeError('An option of this encoder has at most 12 bytes.')
    parts.push(Uint8Array.from([((of - number) << 4) | value.length]), value)
    number = of
  }
  for (const segment of path) option(OPTION.URI_PATH, Buffer.from(segment))
  if (format !== undefined) option(OPTION.CONTENT_FORMAT, Uint8Array.from(format === 0 ? [] : [format]))
  if (payload && payload.length > 0) parts.push(Uint8Array.from([PAYLOAD_MARKER]), payload)
  return Buffer.concat(parts)
}
