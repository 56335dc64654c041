/** Bytes within JSON, as a run's outputs hold them: `{ "$bytes": base64, "$truncated"?: true }`. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export interface Bytes {
  base64: string
  truncated: boolean
}

/** The bytes a value stands for, when it stands for bytes. */
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

/** The media type of an image by the first bytes of its base64; `undefined` when it is none a browser shows. */
export const imageType = (base64: string): string | undefined =>
  signatures.find(([start]) => base64.startsWith(start))?.[1]
