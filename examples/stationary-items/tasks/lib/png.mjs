import { inflateSync } from 'node:zlib'

/** Just enough PNG for the photographs of this example: 8-bit palette or RGB, not interlaced. */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const LARGEST_PIXELS = 50e6

/** Decodes to `{ width, height, rgb }`, three bytes for each pixel, row by row. Throws on any other file. */
export function decodePng(bytes) {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!file.subarray(0, 8).equals(SIGNATURE))
    throw new Error('This is no PNG file: its signature is missing.')
  let header = null
  let palette = null
  const packed = []
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at)
    const kind = file.toString('latin1', at + 4, at + 8)
    const body = file.subarray(at + 8, at + 8 + length)
    if (kind === 'IHDR') header = readHeader(body)
    else if (kind === 'PLTE') palette = body
    else if (kind === 'IDAT') packed.push(body)
    at += length + 12
  }
  if (!header || packed.length === 0)
    throw new Error('The PNG file is cut off: it has no header or no image data.')
  const { width, height, channels } = header
  const size = (width * channels + 1) * height
  const raw = inflateSync(Buffer.concat(packed), { maxOutputLength: size })
  if (raw.length !== size) throw new Error('The PNG file is cut off: rows are missing.')
  const samples = unfilter(raw, width * channels, height, channels)
  if (channels === 3) return { width, height, rgb: samples }
  if (!palette) throw new Error('The PNG file has no palette.')
  const rgb = new Uint8Array(width * height * 3)
  samples.forEach((entry, pixel) => {
    rgb.set(palette.subarray(entry * 3, entry * 3 + 3), pixel * 3)
  })
  return { width, height, rgb }
}

function readHeader(body) {
  const [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)]
  const [depth, colour, , , interlace] = body.subarray(8)
  const channels = { 2: 3, 3: 1 }[colour]
  if (depth !== 8 || !channels || interlace !== 0)
    throw new Error(
      `Only 8-bit palette or RGB PNG files are read here, not depth ${depth}, colour type ${colour}.`,
    )
  if (width * height === 0 || width * height > LARGEST_PIXELS)
    throw new Error(`A photograph of ${width} by ${height} pixels is not read here.`)
  return { width, height, channels }
}

/** Undoes the row filters (PNG specification, section 9). */
function unfilter(raw, stride, height, channels) {
  const out = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]
    const from = y * (stride + 1) + 1
    const to = y * stride
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? out[to + x - channels] : 0
      const up = y > 0 ? out[to + x - stride] : 0
      const corner = x >= channels && y > 0 ? out[to + x - stride - channels] : 0
      out[to + x] = raw[from + x] + predict(filter, left, up, corner)
    }
  }
  return out
}

function predict(filter, left, up, corner) {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) throw new Error(`The PNG file is damaged: there is no row filter ${filter}.`)
  const [toLeft, toUp, toCorner] = [
    Math.abs(up - corner),
    Math.abs(left - corner),
    Math.abs(left + up - 2 * corner),
  ]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
