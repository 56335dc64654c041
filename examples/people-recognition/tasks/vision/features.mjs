// Histograms of oriented gradients over a dense grid, from integral images: the detector's view of a window.

export const WINDOW = 25
const CELL = 5
const CELLS = WINDOW / CELL
const BINS = 8
/** Numbers that describe a window: gradients by cell and direction, and the cells' brightness. */
export const FEATURES = CELLS * CELLS * (BINS + 1)

/** Integral images of an image: one for each gradient direction, one for brightness. */
export function integrals({ width, height, data }) {
  const planes = Array.from({ length: BINS + 1 }, () => new Float64Array((width + 1) * (height + 1)))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      const dx = data[y * width + Math.min(x + 1, width - 1)] - data[y * width + Math.max(x - 1, 0)]
      const dy = data[Math.min(y + 1, height - 1) * width + x] - data[Math.max(y - 1, 0) * width + x]
      const turn = ((Math.atan2(dy, dx) / Math.PI + 1) % 1) * BINS
      const bin = Math.floor(turn) % BINS
      const part = turn - Math.floor(turn)
      const strength = Math.hypot(dx, dy)
      const here = (y + 1) * (width + 1) + x + 1
      for (let plane = 0; plane <= BINS; plane++) {
        const value =
          plane === BINS
            ? data[at]
            : (plane === bin ? strength * (1 - part) : 0) + (plane === (bin + 1) % BINS ? strength * part : 0)
        const sums = planes[plane]
        sums[here] = value + sums[here - 1] + sums[here - width - 1] - sums[here - width - 2]
      }
    }
  return { stride: width + 1, width, height, planes }
}

/** The features of the window whose corner is at (x, y), written into `into`. */
export function describe({ stride, planes }, x, y, into) {
  let norm = 0
  let mean = 0
  for (let j = 0; j < CELLS; j++)
    for (let i = 0; i < CELLS; i++) {
      const a = (y + j * CELL) * stride + x + i * CELL
      const c = a + CELL * stride
      for (let plane = 0; plane <= BINS; plane++) {
        const sums = planes[plane]
        const value = sums[c + CELL] - sums[c] - sums[a + CELL] + sums[a]
        const at = (j * CELLS + i) * (BINS + 1) + plane
        into[at] = value
        if (plane < BINS) norm += value * value
        else mean += value
      }
    }
  mean /= CELLS * CELLS
  let contrast = 0
  for (let at = BINS; at < FEATURES; at += BINS + 1) contrast += (into[at] - mean) ** 2
  const scale = 1 / (Math.sqrt(norm) + 60)
  const light = 1 / (Math.sqrt(contrast) + 60)
  for (let at = 0; at < FEATURES; at++)
    into[at] = at % (BINS + 1) === BINS ? (into[at] - mean) * light : Math.min(into[at] * scale, 0.25)
  return into
}
