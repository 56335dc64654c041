/** Merge functions of the tests. */

const linesOf = (value: Uint8Array): string[] => Buffer.from(value).toString().split('\n').filter(Boolean)

/** The lines of both, each once. */
export const union = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  Buffer.from([...new Set([...linesOf(one), ...linesOf(other)])].sort().join('\n'))

/** No merge function: adds what was added before. */
export const sum = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  Buffer.from(String(Number(Buffer.from(one)) + Number(Buffer.from(other))))

/** Refuses all. */
export const fussy = (): Uint8Array => {
  throw new Error('this value is not wanted')
}
