/** Size of the chunks of a large object, in bytes. */
export const CHUNK_BYTES = 1024 * 1024

/** Pieces of any size as chunks of `CHUNK_BYTES`; the last one may be shorter. Chunks are copies. */
export async function* rechunk(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(CHUNK_BYTES)
  let filled = 0
  for await (const piece of source) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + CHUNK_BYTES - filled)
      chunk.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < CHUNK_BYTES) continue
      yield chunk
      chunk = new Uint8Array(CHUNK_BYTES)
      filled = 0
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled)
}
