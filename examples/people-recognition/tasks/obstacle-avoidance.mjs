// Looks where the frame is busy: an obstacle has more edges than open ground. Says which way is freer.
import { decodePng } from './vision/png.mjs'

const COLUMNS = 8
/** Mean step between neighbouring pixels from which a column counts as an obstacle. */
const BUSY = 9

export function run({ sensorData }) {
  const { width, height, pixels } = decodePng(sensorData.image)
  const density = new Array(COLUMNS).fill(0)
  const share = width / COLUMNS
  for (let y = 1; y < height; y++)
    for (let x = 1; x < width; x++) {
      const here = pixels[y * width + x]
      const step = Math.abs(here - pixels[y * width + x - 1]) + Math.abs(here - pixels[(y - 1) * width + x])
      density[Math.floor(x / share)] += step / (2 * share * height)
    }
  const ahead = Math.max(density[3], density[4])
  const left = density.slice(0, 3).reduce((sum, value) => sum + value, 0) / 3
  const right = density.slice(5).reduce((sum, value) => sum + value, 0) / 3
  return {
    frame: sensorData.frame,
    obstacle: ahead > BUSY,
    turn: ahead <= BUSY ? 'none' : left < right ? 'left' : 'right',
    density: density.map((value) => Math.round(value * 10) / 10),
  }
}
