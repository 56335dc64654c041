// Trains the detector and the embedding of the people-recognition example on the 75 faces that are not in its frames.
// Usage: node examples/tools/people/train.mjs <data folder of scikit-image>
import { readFileSync, writeFileSync } from 'node:fs'
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
function trainingFrames(count, people = source.others.length) {
  return Array.from({ length: count }, () => {
    const frame = groundFrame(source.grounds, next)
    const placed = squares(4, next).map((square, index) => {
      const isFace = index < 3
      const pool = isFace ? source.others : source.nonFaces
      const who = Math.floor(next() * (isFace ? people : pool.length))
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

/** The lowest threshold at which at most one detection in a hundred is wrong, on fresh frames. */
function chooseThreshold(model) {
  const found = []
  let faces = 0
  for (const { image, placed } of trainingFrames(80)) {
    faces += placed.filter(({ who }) => who >= 0).length
    for (const face of detect(image, { ...model, threshold: 0 }))
      found.push({
        score: face.score,
        right: placed.some((other) => other.who >= 0 && overlap(other, face) > 0.4),
      })
  }
  for (let threshold = 0; ; threshold += 0.1) {
    const taken = found.filter(({ score }) => score > threshold)
    const right = taken.filter((one) => one.right).length
    if (right / taken.length < 0.99) continue
    console.log(
      `threshold ${threshold.toFixed(1)}: recall ${(right / faces).toFixed(3)}, precision ${(right / taken.length).toFixed(3)}`,
    )
    return round(threshold)
  }
}

/** Linear discriminant analysis: within-person scatter whitened, then the directions in which people differ most. */
function trainEmbedding(model, people) {
  const { all } = sightings(model, trainingFrames(people * 6, people))
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

/**
 * The cosine at which the number of groups is nearest to the number of people: the middle of the best range over four
 * sets of fresh frames, of the people from `first` on, who are strangers to the model's embedding.
 */
function chooseSameness(model, first) {
  const people = source.others.length - first
  const sets = [0, 1, 2, 3].map(() => {
    const points = []
    for (let turn = 0; turn < people * 5; turn += 2) {
      const frame = groundFrame(source.grounds, next)
      squares(2, next).forEach((square, index) =>
        paste(frame, source.others[first + ((turn + index) % people)], square, alteration(next), next),
      )
      const seen = toFloat(toPixels(frame))
      for (const face of detect(seen, model)) points.push(embed(seen, face, model))
    }
    return points
  })
  const faults = []
  for (let threshold = 0.4; threshold < 0.9; threshold += 0.01) {
    const counts = sets.map((points) => cluster(points, threshold).length)
    faults.push({
      threshold,
      counts,
      fault: counts.reduce((sum, count) => sum + Math.abs(count - people), 0),
    })
  }
  const least = Math.min(...faults.map(({ fault }) => fault))
  const best = faults.filter(({ fault }) => fault <= least + 1)
  const middle = best[Math.floor(best.length / 2)]
  console.log(
    `sameness ${middle.threshold.toFixed(2)}: ${middle.counts.join(', ')} groups for ${people} strangers`,
  )
  return round(middle.threshold)
}

/** Training people whom the first embedding does not know: they stand for the strangers of the real frames. */
const HELD_OUT_FROM = 50
const target = fileURLToPath(new URL('../../people-recognition/tasks/model.json', import.meta.url))
// With --keep-detector only the embedding and its threshold are trained anew.
const keep = process.argv.includes('--keep-detector')
const model = keep ? JSON.parse(readFileSync(target, 'utf8')) : trainDetector()
if (!keep) model.threshold = chooseThreshold(model)
model.sameness = chooseSameness({ ...model, ...trainEmbedding(model, HELD_OUT_FROM) }, HELD_OUT_FROM)
Object.assign(model, trainEmbedding(model, source.others.length))
writeFileSync(target, `${JSON.stringify(model)}\n`)
console.log(`wrote ${target}`)
