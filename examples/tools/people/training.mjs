// What the parts of the training share: frames of training faces, and rounding.
import { toFloat } from '../../people-recognition/tasks/vision/image.mjs'
import { alteration, groundFrame, paste, squares, toPixels } from './compose.mjs'

export const round = (value) => Number(value.toPrecision(5))

/** The photographs and their mirror images, which stand for further people. */
export function withMirrored(photos) {
  const mirrored = photos.map(({ width, height, data }) => ({
    width,
    height,
    data: data.map((_, at) => data[at - (at % width) + width - 1 - (at % width)]),
  }))
  return [...photos, ...mirrored]
}

/** Frames of three of `photos` and one patch that is no face; `placed` says what was pasted where, and how altered. */
export function trainingFrames(count, photos, { grounds, nonFaces }, next) {
  return Array.from({ length: count }, () => {
    const frame = groundFrame(grounds, next)
    const placed = squares(4, next).map((square, index) => {
      const pool = index < 3 ? photos : nonFaces
      const which = Math.floor(next() * pool.length)
      const how = alteration(next)
      paste(frame, pool[which], square, how, next)
      return { ...square, how, who: index < 3 ? which : -1 }
    })
    return { image: toFloat(toPixels(frame)), placed }
  })
}
