// A face as a point: a linear map in which copies of one person lie close and different people far apart.
import { describe, FEATURES, integrals, WINDOW } from './features.mjs'
import { crop } from './image.mjs'

const PIXELS = 20
export const RAW = PIXELS * PIXELS + FEATURES

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

/** The embedding of a face: a vector of length 1. */
export function embed(image, face, { mean, map }) {
  const input = raw(image, face)
  const point = map.map((row) => row.reduce((sum, weight, at) => sum + weight * (input[at] - mean[at]), 0))
  const length = Math.hypot(...point) || 1
  return point.map((value) => value / length)
}
