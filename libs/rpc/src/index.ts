export { type CallOptions, type ClientOptions, createClient, type RpcClient } from './client.ts'
export { RpcError, type RpcErrorKind, RpcException, TApplicationException } from './errors.ts'
export { MAX_FRAME_BYTES } from './framing.ts'
export {
  checkIdl,
  type IdlField,
  type IdlFunction,
  type IdlModel,
  type IdlService,
  type IdlStruct,
  type IdlType,
  isReservedName,
  printIdl,
} from './idl.ts'
export {
  type CallContext,
  createServer,
  type RpcHandler,
  type RpcServer,
  type ServerOptions,
} from './server.ts'
export { STUB_LANGUAGES, writeStubs } from './stubs.ts'
