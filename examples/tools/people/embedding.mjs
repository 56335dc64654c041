// Training of the map from a face to a point: linear discriminant analysis over altered copies of the photographs.
import { DIMENSIONS, RAW, raw } from '../../people-recognition/tasks/vision/embed.mjs'
import { choleskyOf, principal, solveLower, solveUpper } from './algebra.mjs'
import { round, trainingFrames } from './training.mjs'

/** Sightings of each photograph to learn from, and crops of each sighting. */
const SIGHTINGS = 16
const CROPS = 2
/** How far crops lie off the place where the detector puts its square in the mean (standard deviations). */
const SPREAD = { x: 0.025, y: 0.02, grown: 0.04, turn: 0.05 }
/** Added to the within-person scatter, as a share of its mean variance. */
const RIDGE = 0.1

/**
 * `{ mean, map }`: the within-person scatter whitened, then the directions in which people differ most. The crops lie
 * round the true place plus `off`, turned as the copy is: the views of a face (embed.mjs) make up for the rest.
 */
export function trainEmbedding(photos, off, source, next) {
  const rows = []
  const frames = Math.ceil((photos.length * SIGHTINGS) / 3)
  for (let frame = 0; frame < frames; frame++) {
    const [{ image, placed }] = trainingFrames(1, photos, source, next)
    for (const { x, y, size, how, who } of placed)
      if (who >= 0)
        for (let crop = 0; crop < CROPS; crop++) {
          const grown = size * Math.exp(off.grown + SPREAD.grown * normal(next))
          const middleX = x + size / 2 + size * (off.x + SPREAD.x * normal(next))
          const middleY = y + size / 2 + size * (off.y + SPREAD.y * normal(next))
          const turn = how.turn + SPREAD.turn * normal(next)
          const face = { x: middleX - grown / 2, y: middleY - grown / 2, size: grown, turn }
          rows.push({ who, input: raw(image, face) })
        }
  }
  return discriminant(rows, next)
}

/** About normal, of variance 1. */
const normal = (next) => 2 * (next() + next() + next() - 1.5)

function discriminant(rows, next) {
  const mean = meanOf(rows)
  const scatter = Array.from({ length: RAW }, () => new Float64Array(RAW))
  const means = []
  for (const group of Map.groupBy(rows, ({ who }) => who).values()) {
    const middle = meanOf(group)
    means.push(middle.map((value, at) => value - mean[at]))
    for (const { input } of group) {
      const away = input.map((value, at) => value - middle[at])
      for (let i = 0; i < RAW; i++) {
        const row = scatter[i]
        const share = away[i] / rows.length
        for (let j = 0; j <= i; j++) row[j] += share * away[j]
      }
    }
  }
  let trace = 0
  for (let i = 0; i < RAW; i++) trace += scatter[i][i]
  for (let i = 0; i < RAW; i++) scatter[i][i] += (RIDGE * trace) / RAW
  const lower = choleskyOf(scatter)
  const directions = principal(
    means.map((middle) => solveLower(lower, middle)),
    DIMENSIONS,
    next,
  )
  // The map is the directions carried back through the whitening: rows of D L⁻¹.
  const map = directions.map((direction) => solveUpper(lower, direction))
  return {
    mean: [...mean].map(round),
    map: map.map((row) => [...row].map((value) => Number(value.toPrecision(3)))),
  }
}

function meanOf(rows) {
  const mean = new Float64Array(RAW)
  for (const { input } of rows) for (let at = 0; at < RAW; at++) mean[at] += input[at] / rows.length
  return mean
}
