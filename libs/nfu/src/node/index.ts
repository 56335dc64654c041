export { cborDouble, readCborNumber } from './cbor-number.ts'
export { CoapCode, CoapFormat, type CoapMessage, CoapType, encodeRequest, readCoap } from './coap.ts'
export { compileNative, NativeServer } from './native.ts'
export { COAP_PORT, type Hop, type NfuCounters, NfuServer, type NfuServerOptions } from './server.ts'
