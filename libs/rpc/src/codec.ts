/** Values of an IDL model in Thrift's binary protocol (strict), driven by the model instead of generated code. */
import { type Reader, Writer } from './buffer.ts'
import { APPLICATION_ERROR, RpcError, TApplicationException } from './errors.ts'
import {
  checkIdl,
  type IdlField,
  type IdlFunction,
  type IdlModel,
  type IdlStruct,
  type IdlType,
  printType,
} from './idl.ts'

const STOP = 0
const CODE = {
  bool: 2,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  string: 11,
  binary: 11,
  struct: 12,
  map: 13,
  list: 15,
} as const
/** Minimum encoded size of a value in bytes, by type code; other codes are no types of the protocol. Sets (14) and bytes (3) are only skipped. */
const MIN_BYTES: Partial<Record<number, number>> = {
  2: 1,
  3: 1,
  4: 8,
  6: 2,
  8: 4,
  10: 8,
  11: 4,
  12: 1,
  13: 6,
  14: 5,
  15: 5,
}
const FIXED_BYTES: Partial<Record<number, number>> = { 2: 1, 3: 1, 4: 8, 6: 2, 8: 4, 10: 8 }
/** Maximum nesting of values. */
const MAX_DEPTH = 64

const VERSION = 0x80010000 | 0
/** Codes of the kinds of messages. */
export const MESSAGE = { call: 1, reply: 2, exception: 3, oneway: 4 } as const

/** Size of the length in front of each frame, in bytes. */
export const FRAME_HEADER_BYTES = 4

/** The header of a message: function, kind of message, and sequence number. */
export interface MessageHeader {
  name: string
  type: number
  seqid: number
}

/** A service of a model, indexed for the codec. Build it once for each client or server. */
export interface Schema {
  structs: Map<string, IdlStruct>
  functions: Map<string, IdlFunction>
}

/**
 * Indexes a service of a model.
 * @throws Error when the model is faulty or has no such service
 */
export function schemaOf(model: IdlModel, serviceName: string): Schema {
  const problems = checkIdl(model)
  if (problems.length > 0) throw new Error(`The interface is faulty: ${problems.join(' ')}`)
  const service = model.services.find((item) => item.name === serviceName)
  if (!service)
    throw new Error(
      `The interface has no service '${serviceName}'; it has ${model.services.map((item) => item.name).join(', ') || 'none'}.`,
    )
  return {
    structs: new Map([...model.structs, ...model.exceptions].map((struct) => [struct.name, struct])),
    functions: new Map(service.functions.map((fn) => [fn.name, fn])),
  }
}

function codeOf(type: IdlType): number {
  if (typeof type === 'string') return CODE[type]
  return 'list' in type ? CODE.list : 'map' in type ? CODE.map : CODE.struct
}

function mismatch(where: string, type: IdlType, value: unknown): RpcError {
  const is =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'a list'
        : typeof value === 'object'
          ? 'an object'
          : String(value)
  return new RpcError('value', `${where} is ${is}, which is no ${printType(type)}.`)
}

const MIN_I64 = -(2n ** 63n)
const MAX_I64 = 2n ** 63n - 1n

function writeInteger(value: unknown, bits: 16 | 32, type: IdlType, where: string): number {
  const most = 2 ** (bits - 1)
  if (typeof value !== 'number' || !Number.isInteger(value) || value < -most || value >= most)
    throw mismatch(where, type, value)
  return value
}

function writeValue(writer: Writer, schema: Schema, type: IdlType, value: unknown, where: string): void {
  if (typeof type !== 'string') return writeCompound(writer, schema, type, value, where)
  switch (type) {
    case 'bool':
      if (typeof value !== 'boolean') throw mismatch(where, type, value)
      return writer.byte(value ? 1 : 0)
    case 'i16':
      return writer.i16(writeInteger(value, 16, type, where))
    case 'i32':
      return writer.i32(writeInteger(value, 32, type, where))
    case 'i64': {
      if (typeof value === 'number' && Number.isSafeInteger(value)) return writer.i64(BigInt(value))
      if (typeof value === 'bigint' && value >= MIN_I64 && value <= MAX_I64) return writer.i64(value)
      throw mismatch(where, type, value)
    }
    case 'double':
      if (typeof value !== 'number') throw mismatch(where, type, value)
      return writer.double(value)
    case 'string':
      if (typeof value !== 'string') throw mismatch(where, type, value)
      return writer.string(value)
    case 'binary':
      if (!(value instanceof Uint8Array)) throw mismatch(where, type, value)
      return writer.binary(value)
  }
}

function writeCompound(
  writer: Writer,
  schema: Schema,
  type: Exclude<IdlType, string>,
  value: unknown,
  where: string,
): void {
  if ('list' in type) {
    if (!Array.isArray(value)) throw mismatch(where, type, value)
    writer.byte(codeOf(type.list))
    writer.i32(value.length)
    value.forEach((item, index) => writeValue(writer, schema, type.list, item, `${where}[${index}]`))
    return
  }
  if (typeof value !== 'object' || value === null) throw mismatch(where, type, value)
  if ('map' in type) {
    const [keyType, valueType] = type.map
    const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value)
    writer.byte(codeOf(keyType))
    writer.byte(codeOf(valueType))
    writer.i32(entries.length)
    for (const [key, item] of entries) {
      writeValue(writer, schema, keyType, key, `a key of ${where}`)
      writeValue(writer, schema, valueType, item, `${where}[${String(key)}]`)
    }
    return
  }
  writeFields(writer, schema, structOf(schema, type.struct).fields, value as Record<string, unknown>, where)
}

function structOf(schema: Schema, name: string): IdlStruct {
  const struct = schema.structs.get(name)
  if (!struct) throw new Error(`The interface has no struct '${name}'.`)
  return struct
}

/** Writes fields and the stop byte. Throws an `RpcError` that names an absent or null field that is not optional. */
export function writeFields(
  writer: Writer,
  schema: Schema,
  fields: readonly IdlField[],
  values: Record<string, unknown>,
  where: string,
): void {
  for (const field of fields) {
    const value = values[field.name]
    if (value === undefined || value === null) {
      if (field.optional) continue
      throw new RpcError('value', `${where}.${field.name} is missing; it is a ${printType(field.type)}.`)
    }
    writer.byte(codeOf(field.type))
    writer.i16(field.id)
    writeValue(writer, schema, field.type, value, `${where}.${field.name}`)
  }
  writer.byte(STOP)
}

function readValue(reader: Reader, schema: Schema, type: IdlType, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new RpcError('protocol', `A value is nested deeper than ${MAX_DEPTH} levels.`)
  if (typeof type === 'string') {
    switch (type) {
      case 'bool':
        return reader.byte() !== 0
      case 'i16':
        return reader.i16()
      case 'i32':
        return reader.i32()
      case 'i64': {
        const value = reader.i64()
        const number = Number(value)
        return Number.isSafeInteger(number) ? number : value
      }
      case 'double':
        return reader.double()
      case 'string':
        return reader.string()
      case 'binary':
        return reader.binary()
    }
  }
  if ('list' in type) {
    const code = reader.byte()
    const size = reader.size(minBytesOf(code))
    expectCode(code, type.list, size)
    const list: unknown[] = []
    for (let index = 0; index < size; index++) list.push(readValue(reader, schema, type.list, depth + 1))
    return list
  }
  if ('map' in type) {
    const keyCode = reader.byte()
    const valueCode = reader.byte()
    const size = reader.size(1)
    expectCode(keyCode, type.map[0], size)
    expectCode(valueCode, type.map[1], size)
    const map = new Map<unknown, unknown>()
    for (let index = 0; index < size; index++) {
      const key = readValue(reader, schema, type.map[0], depth + 1)
      map.set(key, readValue(reader, schema, type.map[1], depth + 1))
    }
    return map
  }
  return readFields(reader, schema, structOf(schema, type.struct).fields, type.struct, depth + 1)
}

function minBytesOf(code: number): number {
  return MIN_BYTES[code] ?? 1
}

function expectCode(code: number, type: IdlType, size: number): void {
  if (size > 0 && code !== codeOf(type))
    throw new RpcError(
      'protocol',
      `A list or map holds values of type ${code} where ${printType(type)} is due.`,
    )
}

/** Reads fields up to the stop byte. Skips unknown fields (of a newer peer); throws on a field of another type than declared. */
export function readFields(
  reader: Reader,
  schema: Schema,
  fields: readonly IdlField[],
  where: string,
  depth = 0,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (let code = reader.byte(); code !== STOP; code = reader.byte()) {
    const id = reader.i16()
    const field = fields.find((item) => item.id === id)
    if (!field) skip(reader, code, depth + 1)
    else if (code !== codeOf(field.type))
      throw new RpcError(
        'protocol',
        `${where}.${field.name} arrived with type ${code} where ${printType(field.type)} is due.`,
      )
    else values[field.name] = readValue(reader, schema, field.type, depth)
  }
  for (const field of fields)
    if (!field.optional && !Object.hasOwn(values, field.name)) values[field.name] = zeroOf(field, where)
  return values
}

function zeroOf(field: IdlField, where: string): unknown {
  const { type } = field
  if (type === 'bool') return false
  if (type === 'string') return ''
  if (type === 'binary') return new Uint8Array()
  if (typeof type === 'string') return 0
  if ('list' in type) return []
  if ('map' in type) return new Map()
  throw new RpcError('protocol', `${where}.${field.name} is missing; it is a ${printType(type)}.`)
}

function skip(reader: Reader, code: number, depth: number): void {
  if (depth > MAX_DEPTH) throw new RpcError('protocol', `A value is nested deeper than ${MAX_DEPTH} levels.`)
  const fixed = FIXED_BYTES[code]
  if (fixed !== undefined) return reader.skip(fixed)
  switch (code) {
    case 11:
      return reader.skip(reader.i32())
    case 12:
      for (let inner = reader.byte(); inner !== STOP; inner = reader.byte()) {
        reader.skip(2)
        skip(reader, inner, depth + 1)
      }
      return
    case 13: {
      const key = reader.byte()
      const value = reader.byte()
      for (let left = reader.size(1); left > 0; left--) {
        skip(reader, key, depth + 1)
        skip(reader, value, depth + 1)
      }
      return
    }
    case 14:
    case 15: {
      const item = reader.byte()
      for (let left = reader.size(minBytesOf(item)); left > 0; left--) skip(reader, item, depth + 1)
      return
    }
    default:
      throw new RpcError('protocol', `The message holds a value of the unknown type ${code}.`)
  }
}

/** A writer that starts with room for the frame's length and with the header of a message. */
export function beginMessage(head: MessageHeader): Writer {
  const writer = new Writer(FRAME_HEADER_BYTES)
  writer.i32(VERSION | head.type)
  writer.string(head.name)
  writer.i32(head.seqid)
  return writer
}

export function readHeader(reader: Reader): MessageHeader {
  const word = reader.i32()
  if ((word & ~0xff) !== VERSION)
    throw new RpcError(
      'protocol',
      "The message is not in Thrift's binary protocol (strict); is the peer set to TFramedTransport and TBinaryProtocol?",
    )
  const name = reader.string()
  return { type: word & 0xff, name, seqid: reader.i32() }
}

const FAULT_FIELDS: IdlField[] = [
  { id: 1, name: 'message', type: 'string', optional: true },
  { id: 2, name: 'type', type: 'i32', optional: true },
]

/** A frame that answers a call with a `TApplicationException`. */
export function faultFrame(name: string, seqid: number, code: number, message: string): Buffer {
  const writer = beginMessage({ name, type: MESSAGE.exception, seqid })
  writeFields(
    writer,
    { structs: new Map(), functions: new Map() },
    FAULT_FIELDS,
    { message, type: code },
    'fault',
  )
  return writer.frame()
}

export function readFault(reader: Reader): TApplicationException {
  const { message, type } = readFields(
    reader,
    { structs: new Map(), functions: new Map() },
    FAULT_FIELDS,
    'fault',
  )
  return new TApplicationException(
    typeof type === 'number' ? type : APPLICATION_ERROR.unknown,
    typeof message === 'string' ? message : 'The other side gave no reason.',
  )
}

/** The fields of a reply: the result as 0 (which no IDL can name), then the declared exceptions. */
export function resultFields(fn: IdlFunction): IdlField[] {
  const success: IdlField[] = fn.returns ? [{ id: 0, name: SUCCESS, type: fn.returns, optional: true }] : []
  return [...success, ...fn.throws.map((field) => ({ ...field, optional: true }))]
}
export const SUCCESS = 'success'
