export {
  CBOR,
  decodeCbor,
  decodeValue,
  type EncodedValue,
  encodeCbor,
  encodeValue,
  formatOf,
  OCTETS,
  ValueError,
} from './codec.ts'
export { type DataPort, MemoryDataPort, MissingValueError, referTo } from './port.ts'
export { MAX_PREVIEW_BYTES, type PreviewBytes, previewOf, previewOfValue, valueOfPreview } from './preview.ts'
export { INLINE_LIMIT, type InlineRef, inlineRef, refSize, type StoredRef, type ValueRef } from './ref.ts'
