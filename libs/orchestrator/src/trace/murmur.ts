/** MurmurHash3, x86, 128 bits, by Austin Appleby (public domain): spreads texts evenly, and is no protection against anybody. */

const C = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93] as const

const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by))

function finish(x: number): number {
  let h = x
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

const hex = (x: number): string => (x >>> 0).toString(16).padStart(8, '0')

/** The hash of the text's UTF-16 code units, little-endian, with seed 0: 32 hexadecimal digits. */
export function murmur128(text: string): string {
  let [h1, h2, h3, h4] = [0, 0, 0, 0]
  // Each word holds two code units; units beyond the end count as zero.
  const word = (at: number): number =>
    at < text.length ? text.charCodeAt(at) | (at + 1 < text.length ? text.charCodeAt(at + 1) << 16 : 0) : 0
  let at = 0
  for (; at + 8 <= text.length; at += 8) {
    h1 ^= Math.imul(rotate(Math.imul(word(at), C[0]), 15), C[1])
    h1 = Math.imul(rotate(h1, 19) + h2, 5) + 0x561ccd1b
    h2 ^= Math.imul(rotate(Math.imul(word(at + 2), C[1]), 16), C[2])
    h2 = Math.imul(rotate(h2, 17) + h3, 5) + 0x0bcaa747
    h3 ^= Math.imul(rotate(Math.imul(word(at + 4), C[2]), 17), C[3])
    h3 = Math.imul(rotate(h3, 15) + h4, 5) + 0x96cd1c35
    h4 ^= Math.imul(rotate(Math.imul(word(at + 6), C[3]), 18), C[0])
    h4 = Math.imul(rotate(h4, 13) + h1, 5) + 0x32ac3b17
  }
  if (at < text.length) {
    h4 ^= Math.imul(rotate(Math.imul(word(at + 6), C[3]), 18), C[0])
    h3 ^= Math.imul(rotate(Math.imul(word(at + 4), C[2]), 17), C[3])
    h2 ^= Math.imul(rotate(Math.imul(word(at + 2), C[1]), 16), C[2])
    h1 ^= Math.imul(rotate(Math.imul(word(at), C[0]), 15), C[1])
  }
  const bytes = text.length * 2
  h1 ^= bytes
  h2 ^= bytes
  h3 ^= bytes
  h4 ^= bytes
  h1 = (h1 + h2 + h3 + h4) | 0
  h2 = (h2 + h1) | 0
  h3 = (h3 + h1) | 0
  h4 = (h4 + h1) | 0
  h1 = finish(h1)
  h2 = finish(h2)
  h3 = finish(h3)
  h4 = finish(h4)
  h1 = (h1 + h2 + h3 + h4) | 0
  return hex(h1) + hex(h2 + h1) + hex(h3 + h1) + hex(h4 + h1)
}
