// A face as points: a linear map in which copies of one person lie close and different people far apart. The place of a
// face is never quite right, so the map is applied to several views of it: the square as found, and moved a little.
import { describe, FEATURES, integrals, WINDOW } from './features.mjs'
import { crop } from './image.mjs'

const PIXELS = 20
export const RAW = PIXELS * PIXELS + FEATURES
export const DIMENSIONS = 48

/** How far a view is off: sideways and down as a share of the size, the size itself as a factor, and radians. */
const STEPS = { x: 0.06, y: 0.045, size: 1.11, turn: 0.12 }

/** The views of a face: the square itself, and one step either way in place, size and turn. */
function viewsOf({ x, y, size }) {
  const grown = (factor) => ({
    x: x + (size * (1 - factor)) / 2,
    y: y + (size * (1 - factor)) / 2,
    size: size * factor,
  })
  return [
    { x, y, size },
    { x: x - STEPS.x * size, y, size },
    { x: x + STEPS.x * size, y, size },
    { x, y: y - STEPS.y * size, size },
    { x, y: y + STEPS.y * size, size },
    grown(1 / STEPS.size),
    grown(STEPS.size),
    { x, y, size, turn: -STEPS.turn },
    { x, y, size, turn: STEPS.turn },
  ]
}

/** What the map is applied to: pixels of even light and contrast, and gradients. */
export function raw(image, face) {
  const { data } = crop(image, face, PIXELS)
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length
  const spread = Math.sqrt(data.reduce((sum, value) => sum + (value - mean) ** 2, 0)) + 1
  const gradients = describe(integrals(crop(image, face, WINDOW)), 0, 0, new Float64Array(FEATURES))
  const whole = new Float64Array(RAW)
  for (let at = 0; at < data.length; at++) whole[at] = (data[at] - mean) / spread
  whole.set(gradients, data.length)
  return whole
}

/** The points of a face's views, each of length 1, one after the other; a coordinate c is the byte 128 + 127 c. */
export function embed(image, face, { mean, map }) {
  const views = viewsOf(face)
  const points = new Uint8Array(views.length * map.length)
  views.forEach((view, index) => {
    const input = raw(image, view)
    const point = map.map((row) => {
      let sum = 0
      for (let at = 0; at < RAW; at++) sum += row[at] * (input[at] - mean[at])
      return sum
    })
    const length = Math.hypot(...point) || 1
    points.set(
      point.map((value) => Math.round(128 + (127 * value) / length)),
      index * map.length,
    )
  })
  return points
}

/** How alike the faces are, each with each: the cosine of those two of their views that agree best. */
export function likeness(faces) {
  const coordinates = faces.map((bytes) => Float32Array.from(bytes, (byte) => (byte - 128) / 127))
  const alike = faces.map(() => new Float64Array(faces.length).fill(1))
  for (let a = 0; a < faces.length; a++)
    for (let b = 0; b < a; b++) {
      alike[a][b] = bestCosine(coordinates[a], coordinates[b])
      alike[b][a] = alike[a][b]
    }
  return alike
}

function bestCosine(one, other) {
  let best = -1
  for (let i = 0; i < one.length; i += DIMENSIONS)
    for (let j = 0; j < other.length; j += DIMENSIONS) {
      let cosine = 0
      for (let at = 0; at < DIMENSIONS; at++) cosine += one[i + at] * other[j + at]
      if (cosine > best) best = cosine
    }
  return best
}
