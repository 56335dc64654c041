import { decodePng } from './lib/png.mjs'
import { regionsOf } from './lib/regions.mjs'

/** How much less blue than red and green a pixel must be to be yellow. */
const YELLOW = 70
/** Limits of a region's pixel count, as shares of a whole ball's. A ball at the edge of the photograph is cut. */
const AREA = { least: 0.45, most: 1.7 }
/** A disc fills pi/4 = 0.79 of its bounding box. */
const LEAST_FILL = 0.58
const MOST_ELONGATED = 1.5

/** Finds tennis balls in one photograph by colour and shape, and says where on the field they lie, in metres. */
export function run(inputs, args) {
  const { frame, position, ground, image } = inputs.sensorData
  const { width, height, rgb } = decodePng(image)
  const metresPerPixel = ground.width / width
  const whole = Math.PI * (args.diameter / metresPerPixel / 2) ** 2
  const items = regionsOf(yellow(rgb), width, height)
    .filter((region) => isBall(region, whole))
    .map(({ x, y, area }) => ({
      x: round(position.x + (x - width / 2) * metresPerPixel),
      y: round(position.y + (y - height / 2) * metresPerPixel),
      area,
    }))
  return { frame, items }
}

function yellow(rgb) {
  const mask = new Uint8Array(rgb.length / 3)
  for (let i = 0, at = 0; i < mask.length; i++, at += 3) {
    const [red, green, blue] = [rgb[at], rgb[at + 1], rgb[at + 2]]
    mask[i] = Math.min(red, green) - blue > YELLOW && red > 0.7 * green && green > 0.85 * red ? 1 : 0
  }
  return mask
}

function isBall({ area, left, right, top, bottom }, whole) {
  const [w, h] = [right - left, bottom - top]
  return (
    area >= AREA.least * whole &&
    area <= AREA.most * whole &&
    area / (w * h) >= LEAST_FILL &&
    Math.max(w, h) / Math.min(w, h) <= MOST_ELONGATED
  )
}

const round = (metres) => Math.round(metres * 1000) / 1000
