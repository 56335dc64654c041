// Grey images as `{ width, height, data }` with float pixels.

export function toFloat({ width, height, pixels }) {
  return { width, height, data: Float32Array.from(pixels) }
}

/** The pixel at a real position, bilinear; positions outside take the nearest edge. */
export function sample({ width, height, data }, x, y) {
  const cx = Math.min(Math.max(x, 0), width - 1.001)
  const cy = Math.min(Math.max(y, 0), height - 1.001)
  const x0 = Math.floor(cx)
  const y0 = Math.floor(cy)
  const fx = cx - x0
  const fy = cy - y0
  const at = y0 * width + x0
  return (
    (data[at] * (1 - fx) + data[at + 1] * fx) * (1 - fy) +
    (data[at + width] * (1 - fx) + data[at + width + 1] * fx) * fy
  )
}

/** The image made smaller by `factor` (1 or more), each pixel the mean of what it covers. */
export function shrink(image, factor) {
  const width = Math.floor(image.width / factor)
  const height = Math.floor(image.height / factor)
  const data = new Float32Array(width * height)
  const taps = Math.max(1, Math.round(factor))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let sum = 0
      for (let j = 0; j < taps; j++)
        for (let i = 0; i < taps; i++)
          sum += sample(image, (x + (i + 0.5) / taps) * factor - 0.5, (y + (j + 0.5) / taps) * factor - 0.5)
      data[y * width + x] = sum / (taps * taps)
    }
  return { width, height, data }
}

/** A square of the image, turned by `turn` radians about its middle, sampled to `size` by `size` pixels. */
export function crop(image, { x, y, size: side, turn = 0 }, size) {
  const data = new Float32Array(size * size)
  const step = side / size
  const d = step / 4
  const cos = Math.cos(turn)
  const sin = Math.sin(turn)
  const middle = side / 2
  for (let j = 0; j < size; j++)
    for (let i = 0; i < size; i++) {
      const u = (i + 0.5) * step - middle
      const v = (j + 0.5) * step - middle
      const px = x + middle + cos * u - sin * v - 0.5
      const py = y + middle + sin * u + cos * v - 0.5
      data[j * size + i] =
        (sample(image, px - d, py - d) +
          sample(image, px + d, py - d) +
          sample(image, px - d, py + d) +
          sample(image, px + d, py + d)) /
        4
    }
  return { width: size, height: size, data }
}
