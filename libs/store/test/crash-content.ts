/** What the writer of the crash test writes under a key: some of it in one row, some of it in several chunks. */
export function contentOf(key: string): Uint8Array {
  const n = Number(key.slice(key.lastIndexOf('/') + 1))
  const size = n % 25 === 24 ? 1_500_000 : n % 3 === 2 ? 10_000 : 100
  return Buffer.alloc(size, `${key};`)
}
