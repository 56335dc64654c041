/** Values of the tests. */
import type { EncodedValue } from '@hivemind/values'
import type { ObjectStream, StoredObject } from '../src/index.ts'

/** A text as a value. */
export const text = (value: string): EncodedValue => ({
  type: 'text/plain',
  bytes: new TextEncoder().encode(value),
})

/** The text of an object, or undefined when there is none. */
export const textOf = (object: StoredObject | null): string | undefined =>
  object ? Buffer.from(object.bytes).toString() : undefined

/** All bytes of a stream. */
export async function collect(stream: ObjectStream | null): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream?.chunks ?? []) chunks.push(chunk)
  return Buffer.concat(chunks)
}
