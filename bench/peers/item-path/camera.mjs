/** Emits frames of bytes, or of numbers as CBOR, as a camera task on a device does. */
export function* run(_, { count, bytes, structured }) {
  const raw = new Uint8Array(bytes).fill(7)
  const numbers = Array.from({ length: bytes / 9 }, (_, n) => n + 0.5)
  for (let n = 0; n < count; n++) yield structured ? { n, numbers } : raw
}
