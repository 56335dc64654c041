// Training of the face detector: logistic regression, with windows it took wrongly for faces added in rounds.
import { candidates, detect, overlap } from '../../people-recognition/tasks/vision/detect.mjs'
import { describe, FEATURES, integrals, WINDOW } from '../../people-recognition/tasks/vision/features.mjs'
import { crop } from '../../people-recognition/tasks/vision/image.mjs'
import { round, trainingFrames } from './training.mjs'

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

const featuresOf = (image, square) =>
  Float64Array.from(describe(integrals(crop(image, square, WINDOW)), 0, 0, new Float64Array(FEATURES)))

/** `{ weights, bias }` of a detector of the faces in `photos`. */
export function trainDetector(photos, source, next) {
  const samples = []
  for (const { image, placed } of trainingFrames(200, photos, source, next)) {
    for (const { x, y, size, who } of placed) {
      if (who < 0) samples.push({ features: featuresOf(image, { x, y, size }), label: 0 })
      else
        for (let copy = 0; copy < 4; copy++) {
          const jitter = () => (next() - 0.5) * 0.06 * size
          const scaled = size * (0.95 + 0.1 * next())
          const square = { x: x + jitter(), y: y + jitter(), size: scaled }
          samples.push({ features: featuresOf(image, square), label: 1 })
        }
    }
    for (let copy = 0; copy < 16; copy++) {
      const square = { x: next() * 250, y: next() * 180, size: 36 + next() * 30 }
      if (placed.every((other) => other.who < 0 || overlap(other, square) < 0.3))
        samples.push({ features: featuresOf(image, square), label: 0 })
    }
  }
  let model = trainLinear(samples, 300)
  for (let mining = 0; mining < 4; mining++) {
    for (const { image, placed } of trainingFrames(50, photos, source, next))
      for (const found of candidates(image, model, 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, 100))
        if (placed.every((other) => other.who < 0 || overlap(other, found) < 0.35))
          samples.push({ features: featuresOf(image, found), label: 0 })
    model = trainLinear(samples, 200, model)
  }
  return { weights: [...model.weights].map(round), bias: round(model.bias) }
}

/**
 * On fresh frames: `threshold`, the lowest at which at most one detection in a hundred is wrong, and `off`, how the
 * detector's squares lie off the true ones in the mean (shares of the true size, and the logarithm of the size).
 */
export function calibrate(model, photos, source, next) {
  const found = []
  let faces = 0
  for (const { image, placed } of trainingFrames(80, photos, source, next)) {
    faces += placed.filter(({ who }) => who >= 0).length
    for (const face of detect(image, { ...model, threshold: 0 }))
      found.push({ ...face, truth: placed.find((other) => other.who >= 0 && overlap(other, face) > 0.4) })
  }
  for (let threshold = 0; ; threshold += 0.1) {
    const taken = found.filter(({ score }) => score > threshold)
    const right = taken.filter(({ truth }) => truth)
    if (right.length / taken.length < 0.99) continue
    const mean = (value) => right.reduce((sum, face) => sum + value(face, face.truth), 0) / right.length
    const off = {
      x: mean((face, truth) => (face.x + face.size / 2 - truth.x - truth.size / 2) / truth.size),
      y: mean((face, truth) => (face.y + face.size / 2 - truth.y - truth.size / 2) / truth.size),
      grown: mean((face, truth) => Math.log(face.size / truth.size)),
    }
    return { threshold: round(threshold), off, recall: right.length / faces }
  }
}
