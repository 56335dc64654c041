// Finds faces: a linear detector slid over the image at several scales, then the best of what overlaps.
import { describe, FEATURES, integrals, WINDOW } from './features.mjs'
import { shrink } from './image.mjs'

const SMALLEST = 36
const LARGEST = 66
const STEP = 1.12
const STRIDE = 2

/** Overlap of two squares: the common area over the joint one. */
export function overlap(a, b) {
  const width = Math.min(a.x + a.size, b.x + b.size) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.size, b.y + b.size) - Math.max(a.y, b.y)
  if (width <= 0 || height <= 0) return 0
  return (width * height) / (a.size ** 2 + b.size ** 2 - width * height)
}

/** Every window that scores above `threshold`, before overlaps are settled. */
export function candidates(image, { weights, bias }, threshold) {
  const found = []
  const into = new Float64Array(FEATURES)
  for (let size = SMALLEST; size <= LARGEST; size *= STEP) {
    const factor = size / WINDOW
    const small = shrink(image, factor)
    const sums = integrals(small)
    for (let y = 0; y + WINDOW <= small.height; y += STRIDE)
      for (let x = 0; x + WINDOW <= small.width; x += STRIDE) {
        describe(sums, x, y, into)
        let score = bias
        for (let at = 0; at < FEATURES; at++) score += weights[at] * into[at]
        if (score > threshold) found.push({ x: x * factor, y: y * factor, size, score })
      }
  }
  return found
}

/** Faces in an image as `{ x, y, size, score }`, best first. Windows that overlap a better one count towards it. */
export function detect(image, model) {
  const open = candidates(image, model, model.threshold - 1).sort((a, b) => b.score - a.score)
  const faces = []
  for (const window of open) {
    const better = faces.find((face) => overlap(face, window) > 0.25)
    if (better) better.votes.push(window)
    else if (window.score > model.threshold) faces.push({ ...window, votes: [window] })
  }
  return faces.map(({ votes, score }) => {
    // The place is the mean of the windows that agree, each with its score's weight.
    const near = votes.filter((vote) => overlap(vote, votes[0]) > 0.5)
    const total = near.reduce((sum, vote) => sum + Math.exp(vote.score), 0)
    const mean = (field) => near.reduce((sum, vote) => sum + vote[field] * Math.exp(vote.score), 0) / total
    return { x: mean('x'), y: mean('y'), size: mean('size'), score }
  })
}
