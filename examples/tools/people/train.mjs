// Trains the detector and the embedding of the people-recognition example on the 75 faces that are not in its frames.
// Usage: node examples/tools/people/train.mjs <data folder of scikit-image>
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cluster } from '../../people-recognition/tasks/vision/cluster.mjs'
import { candidates, detect, overlap } from '../../people-recognition/tasks/vision/detect.mjs'
import { embed, RAW, raw } from '../../people-recognition/tasks/vision/embed.mjs'
import { describe, FEATURES, integrals, WINDOW } from '../../people-recognition/tasks/vision/features.mjs'
import { crop, toFloat } from '../../people-recognition/tasks/vision/image.mjs'
import { alteration, groundFrame, paste, squares, toPixels } from './compose.mjs'
import { random, readSource } from './source.mjs'

const source = readSource(process.argv[2])
const next = random(2022)
const DIMENSIONS = 48
const round = (value) => Number(value.toPrecision(5))

/** Frames of the training faces, each with what was pasted where. */
function trainingFrames(count) {
  return Array.from({ length: count }, () => {
    const frame = groundFrame(source.grounds, next)
    const placed = squares(4, next).map((square, index) => {
      const isFace = index < 3
      const pool = isFace ? source.others : source.nonFaces
      const who = Math.floor(next() * pool.length)
      paste(frame, pool[who], square, alteration(next), next)
      return { ...square, who: isFace ? who : -1 }
    })
    return { image: toFloat(toPixels(frame)), placed }
  })
}

function trainLinear(samples, rounds, start) {
  const weights = start ? Float64Array.from(start.weights) : new Float64Array(FEATURES)
  let bias = start?.bias ?? 0
  const faces = samples.filter(({ label }) => label === 1).length
  const weightOf = { 1: 0.5 / faces, 0: 0.5 / (samples.length - faces) }
  let rate = 60
  for (let pass = 0; pass < rounds; pass++, rate *= 0.995) {
    const slope = new Float64Array(FEATURES)
    let slopeBias = 0
    for (const { features, label } of samples) {
      let score = bias
      for (let at = 0; at < FEATURES; at++) score += weights[at] * features[at]
      const fault = (1 / (1 + Math.exp(-score)) - label) * weightOf[label]
      for (let at = 0; at < FEATURES; at++) slope[at] += fault * features[at]
      slopeBias += fault
    }
    for (let at = 0; at < FEATURES; at++) weights[at] -= rate * (slope[at] + 1e-5 * weights[at])
    bias -= rate * 0.2 * slopeBias
  }
  return { weights, bias }
}

function trainDetector() {
  const featuresOf = (image, square) =>
    Float64Array.from(describe(integrals(crop(image, square, WINDOW)), 0, 0, new Float64Array(FEATURES)))
  const samples = []
  for (const { image, placed } of trainingFrames(160)) {
    for (const { x, y, size, who } of placed) {
      if (who < 0) samples.push({ features: featuresOf(image, { x, y, size }), label: 0 })
      else
        for (let copy = 0; copy < 4; copy++) {
          const jitter = () => (next() - 0.5) * 0.06 * size
          const scaled = size * (0.95 + 0.1 * next())
          samples.push({
            features: featuresOf(image, { x: x + jitter(), y: y + jitter(), size: scaled }),
            label: 1,
          })
        }
    }
    for (let copy = 0; copy < 16; copy++) {
      const square = { x: next() * 250, y: next() * 180, size: 36 + next() * 30 }
      if (placed.every((other) => other.who < 0 || overlap(other, square) < 0.3))
        samples.push({ features: featuresOf(image, square), label: 0 })
    }
  }
  let model = trainLinear(samples, 400)
  for (let mining = 0; mining < 4; mining++) {
    let added = 0
    for (const { image, placed } of trainingFrames(60))
      for (const found of candidates(image, model, 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, 120))
        if (placed.every((other) => other.who < 0 || overlap(other, found) < 0.35)) {
          samples.push({ features: featuresOf(image, found), label: 0 })
          added++
        }
    model = trainLinear(samples, 250, model)
    console.log(`mining ${mining + 1}: ${added} hard negatives, ${samples.length} samples`)
  }
  return { weights: [...model.weights].map(round), bias: round(model.bias) }
}

/** Detections of training frames, matched to who was pasted there. */
function sightings(model, frames) {
  const all = []
  let faces = 0
  let wrong = 0
  for (const { image, placed } of frames) {
    faces += placed.filter(({ who }) => who >= 0).length
    for (const face of detect(image, model)) {
      const match = placed.find((other) => other.who >= 0 && overlap(other, face) > 0.4)
      if (match) all.push({ image, face, who: match.who })
      else wrong++
    }
  }
  return { all, recall: all.length / faces, precision: all.length / (all.length + wrong) }
}

function chooseThreshold(model) {
  const frames = trainingFrames(60)
  let best = null
  for (let threshold = -1; threshold <= 6; threshold += 0.25) {
    const { recall, precision } = sightings({ ...model, threshold }, frames)
    const score = (2 * recall * precision) / (recall + precision || 1)
    if (!best || score > best.score) best = { threshold, recall, precision, score }
  }
  console.log(
    `threshold ${best.threshold}: recall ${best.recall.toFixed(3)}, precision ${best.precision.toFixed(3)}`,
  )
  return best.threshold
}

/** Linear discriminant analysis: within-person scatter whitened, then the directions in which people differ most. */
function trainEmbedding(model) {
  const { all } = sightings(model, trainingFrames(500))
  const rows = all.map(({ image, face, who }) => ({ who, input: raw(image, face) }))
  const mean = new Float64Array(RAW)
  for (const { input } of rows) for (let at = 0; at < RAW; at++) mean[at] += input[at] / rows.length
  const byPerson = Map.groupBy(rows, ({ who }) => who)
  const scatter = Array.from({ length: RAW }, () => new Float64Array(RAW))
  const means = []
  for (const group of byPerson.values()) {
    const middle = new Float64Array(RAW)
    for (const { input } of group) for (let at = 0; at < RAW; at++) middle[at] += input[at] / group.length
    means.push(middle.map((value, at) => value - mean[at]))
    for (const { input } of group) {
      const away = input.map((value, at) => value - middle[at])
      for (let i = 0; i < RAW; i++)
        for (let j = 0; j <= i; j++) scatter[i][j] += (away[i] * away[j]) / rows.length
    }
  }
  let trace = 0
  for (let i = 0; i < RAW; i++) trace += scatter[i][i]
  for (let i = 0; i < RAW; i++) scatter[i][i] += (0.5 * trace) / RAW
  const lower = choleskyOf(scatter)
  const white = means.map((middle) => solveLower(lower, middle))
  const directions = principal(white, Math.min(DIMENSIONS, white.length - 1))
  // The map is the directions carried back through the whitening: rows of D L^-1.
  const map = directions.map((direction) => solveUpper(lower, direction))
  return {
    mean: [...mean].map(round),
    map: map.map((row) => [...row].map((value) => Number(value.toPrecision(3)))),
  }
}

function choleskyOf(a) {
  for (let i = 0; i < a.length; i++)
    for (let j = 0; j <= i; j++) {
      let sum = a[i][j]
      for (let k = 0; k < j; k++) sum -= a[i][k] * a[j][k]
      a[i][j] = i === j ? Math.sqrt(sum) : sum / a[j][j]
    }
  return a
}

function solveLower(lower, vector) {
  const out = Float64Array.from(vector)
  for (let i = 0; i < out.length; i++) {
    for (let k = 0; k < i; k++) out[i] -= lower[i][k] * out[k]
    out[i] /= lower[i][i]
  }
  return out
}

function solveUpper(lower, vector) {
  const out = Float64Array.from(vector)
  for (let i = out.length - 1; i >= 0; i--) {
    for (let k = i + 1; k < out.length; k++) out[i] -= lower[k][i] * out[k]
    out[i] /= lower[i][i]
  }
  return out
}

/** The strongest directions of a set of vectors, by power iteration with deflation. */
function principal(vectors, count) {
  const left = vectors.map((vector) => Float64Array.from(vector))
  return Array.from({ length: count }, () => {
    let direction = Float64Array.from({ length: RAW }, () => next() - 0.5)
    for (let pass = 0; pass < 60; pass++) {
      const sum = new Float64Array(RAW)
      for (const vector of left) {
        const share = vector.reduce((total, value, at) => total + value * direction[at], 0)
        for (let at = 0; at < RAW; at++) sum[at] += share * vector[at]
      }
      const length = Math.hypot(...sum) || 1
      direction = sum.map((value) => value / length)
    }
    for (const vector of left) {
      const share = vector.reduce((total, value, at) => total + value * direction[at], 0)
      for (let at = 0; at < RAW; at++) vector[at] -= share * direction[at]
    }
    return direction
  })
}

/** The cosine at which groups of training people come out as they are; judged on fresh frames. */
function chooseSameness(model) {
  const { all } = sightings(model, trainingFrames(90))
  const points = all.map(({ image, face }) => embed(image, face, model))
  let best = null
  for (let threshold = 0.1; threshold < 0.95; threshold += 0.02) {
    const label = []
    cluster(points, threshold).forEach((group, index) => group.forEach((at) => (label[at] = index)))
    let both = 0
    let same = 0
    let joined = 0
    for (let a = 0; a < all.length; a++)
      for (let b = 0; b < a; b++) {
        const isSame = all[a].who === all[b].who
        const isJoined = label[a] === label[b]
        if (isSame) same++
        if (isJoined) joined++
        if (isSame && isJoined) both++
      }
    const score = (2 * both) / (same + joined || 1)
    if (!best || score > best.score) best = { threshold, score }
  }
  console.log(
    `sameness ${best.threshold.toFixed(2)}: pair F1 ${best.score.toFixed(3)} over ${all.length} sightings`,
  )
  return round(best.threshold)
}

const detector = trainDetector()
const model = { ...detector, threshold: chooseThreshold(detector) }
Object.assign(model, trainEmbedding(model))
model.sameness = chooseSameness(model)
const target = fileURLToPath(new URL('../../people-recognition/tasks/model.json', import.meta.url))
writeFileSync(target, `${JSON.stringify(model)}\n`)
console.log(`wrote ${target}`)
