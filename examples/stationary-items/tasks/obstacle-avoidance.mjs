import { decodePng } from './lib/png.mjs'
import { regionsOf } from './lib/regions.mjs'

/** Side of the squares that the photograph is divided into, in pixels. */
const SQUARE = 16
/** Fewest dark squares together that make an obstacle; a shadow or a worn patch is smaller. */
const FEWEST_SQUARES = 8
/** How near an obstacle may come to the middle of the photograph, in metres, before the drone must turn. */
const KEEP_AWAY = 0.6

/**
 * Looks for tree crowns in one photograph: ground squares much darker than the middle one of all squares.
 * Says where they are, relative to the drone in metres, and which way to turn when one is near.
 */
export function run(inputs, args, context) {
  const { frame, ground, image } = inputs.sensorData
  const photo = decodePng(image)
  const [columns, rows] = [Math.floor(photo.width / SQUARE), Math.floor(photo.height / SQUARE)]
  const light = brightness(photo, columns, rows)
  const usual = [...light].sort((a, b) => a - b)[light.length >> 1]
  const dark = light.map((value) => (value < args.darkness * usual ? 1 : 0))
  const metres = (SQUARE * ground.width) / photo.width
  const obstacles = regionsOf(dark, columns, rows)
    .filter((region) => region.area >= FEWEST_SQUARES)
    .map(({ left, right, top, bottom }) => ({
      x: round(((left + right - columns) / 2) * metres),
      y: round(((top + bottom - rows) / 2) * metres),
      width: round((right - left) * metres),
      height: round((bottom - top) * metres),
    }))
  const near = obstacles.filter((obstacle) => distance(obstacle) < KEEP_AWAY)
  const turn = near.length === 0 ? 'none' : near[0].x > 0 ? 'left' : 'right'
  if (turn !== 'none') context.log(`${frame}: obstacle ahead, turn ${turn}`, 'warning')
  return { frame, obstacles, turn }
}

/** The mean brightness of each square, row by row. */
function brightness({ width, rgb }, columns, rows) {
  const sums = new Float64Array(columns * rows)
  for (let y = 0; y < rows * SQUARE; y++)
    for (let x = 0; x < columns * SQUARE; x++) {
      const at = (y * width + x) * 3
      sums[Math.floor(y / SQUARE) * columns + Math.floor(x / SQUARE)] += rgb[at] + rgb[at + 1] + rgb[at + 2]
    }
  return sums.map((sum) => sum / (3 * SQUARE * SQUARE))
}

/** From the drone to the nearest edge of an obstacle's box, in metres. */
function distance({ x, y, width, height }) {
  return Math.hypot(Math.max(0, Math.abs(x) - width / 2), Math.max(0, Math.abs(y) - height / 2))
}

const round = (metres) => Math.round(metres * 100) / 100
