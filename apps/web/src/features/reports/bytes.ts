/** Bytes within JSON, as a run's outputs hold them: `{ "$bytes": base64, "$truncated"?: true }`. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Bytes as base64 text. */
export interface Bytes {
  base64: string
  truncated: boolean
}

/** The bytes that a JSON value encodes; `undefined` when it encodes none. */
export function bytesOf(value: unknown): Bytes | undefined {
  if (!isObject(value) || typeof value.$bytes !== 'string') return undefined
  return { base64: value.$bytes, truncated: value.$truncated === true }
}

const signatures: [string, string][] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

/** Media type of an image, from the start of its base64 text; `undefined` when it is no image that browsers show. */
export const imageType = (base64: string): string | undefined =>
  signatures.find(([start]) => base64.startsWith(start))?.[1]
