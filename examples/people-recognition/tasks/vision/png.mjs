// Greyscale PNG files, 8 bits a pixel: all that the frames of this example need.
import { deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Reads a greyscale PNG into `{ width, height, pixels }`, pixels 0..255 row by row. Throws when it is something else. */
export function decodePng(bytes) {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('This is no PNG file.')
  let width = 0
  let height = 0
  const parts = []
  for (let at = 8; at + 8 <= file.length; ) {
    const length = file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    const body = file.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') {
      width = body.readUInt32BE(0)
      height = body.readUInt32BE(4)
      if (body[8] !== 8 || body[9] !== 0 || body[12] !== 0)
        throw new Error('Only greyscale PNG files of 8 bits a pixel, not interlaced, are read here.')
    } else if (type === 'IDAT') parts.push(body)
    at += 12 + length
  }
  const raw = inflateSync(Buffer.concat(parts))
  const pixels = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (width + 1)]
    for (let x = 0; x < width; x++) {
      const [left, up, corner] = neighbours(pixels, width, x, y)
      pixels[y * width + x] = raw[y * (width + 1) + 1 + x] + predict(filter, left, up, corner)
    }
  }
  return { width, height, pixels }
}

function neighbours(pixels, width, x, y) {
  const here = y * width + x
  return [
    x > 0 ? pixels[here - 1] : 0,
    y > 0 ? pixels[here - width] : 0,
    x > 0 && y > 0 ? pixels[here - width - 1] : 0,
  ]
}

function predict(filter, left, up, corner) {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

/** Writes a greyscale PNG; each pixel is predicted from its neighbours, which suits photographs. */
export function encodePng({ width, height, pixels }) {
  const raw = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++) {
    raw[y * (width + 1)] = 4
    for (let x = 0; x < width; x++)
      raw[y * (width + 1) + 1 + x] = pixels[y * width + x] - predict(4, ...neighbours(pixels, width, x, y))
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(raw, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type, body) {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const whole = Buffer.alloc(named.length + 8)
  whole.writeUInt32BE(body.length, 0)
  named.copy(whole, 4)
  whole.writeUInt32BE(crc(named), named.length + 4)
  return whole
}

function crc(bytes) {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return (sum ^ 0xffffffff) >>> 0
}
