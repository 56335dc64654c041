// Trains the people-recognition example on the 75 faces that are not in its frames.
// Usage: node examples/tools/people/train.mjs <data folder of scikit-image>
//
// The detector and the map from a face to a point learn from all 75. The sameness from which faces count as one person
// is chosen in three folds: a detector and a map that never saw 25 of the people look at frame sets of these 25.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { detect } from '../../people-recognition/tasks/vision/detect.mjs'
import { embed } from '../../people-recognition/tasks/vision/embed.mjs'
import { toFloat } from '../../people-recognition/tasks/vision/image.mjs'
import { countsOf } from '../../people-recognition/tasks/vision/people.mjs'
import { calibrate, trainDetector } from './detector.mjs'
import { trainEmbedding } from './embedding.mjs'
import { makeFrames } from './frames.mjs'
import { PEOPLE, random, readSource } from './source.mjs'
import { round, withMirrored } from './training.mjs'

const FOLDS = [0, 1, 2]
/** Frame sets of each fold's strangers. */
const SETS = [1, 2, 3, 4]
const SAMENESS = Array.from({ length: 41 }, (_, index) => round(0.5 + 0.01 * index))

function train(people, source, next) {
  const photos = withMirrored(people)
  const model = trainDetector(photos, source, next)
  const { threshold, off, recall } = calibrate(model, photos, source, next)
  return { recall, model: { ...model, threshold, ...trainEmbedding(photos, off, source, next) } }
}

/** The faces found in one frame set of `people`, as the deduplication task gets them. */
function facesOf(people, model, source, seed) {
  const faces = []
  for (const { feed, seq, image } of makeFrames({ ...source, people }, random(seed))) {
    const seen = toFloat(image)
    for (const face of detect(seen, model))
      faces.push({ frame: `${feed}/${seq}`, points: embed(seen, face, model) })
  }
  return faces
}

/** One fold in its own thread; without a fold, the training on everybody. */
function work({ folder, fold }) {
  const source = readSource(folder)
  if (fold === null) return train(source.others, source, random(2022))
  const first = fold * PEOPLE
  const strangers = source.others.slice(first, first + PEOPLE)
  const known = source.others.filter((photo) => !strangers.includes(photo))
  const { model } = train(known, source, random(2023 + fold))
  return SETS.map((set) => countsOf(facesOf(strangers, model, source, 100 * (fold + 1) + set), SAMENESS))
}

const start = (fold) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { folder: process.argv[2], fold } })
    worker.once('message', resolve)
    worker.once('error', reject)
  })

/** The middle of the values that are good: at most half a person per set worse than the best, over all folds. */
function choose(sets) {
  const faults = SAMENESS.map((_, at) => sets.reduce((sum, counts) => sum + Math.abs(counts[at] - PEOPLE), 0))
  const least = Math.min(...faults)
  const best = SAMENESS.filter((_, at) => faults[at] <= least + 0.5 * sets.length)
  console.log(SAMENESS.map((value, at) => `${value}: ${faults[at]}`).join('  '))
  const middle = best[Math.floor(best.length / 2)]
  const counts = sets.map((set) => set[SAMENESS.indexOf(middle)])
  console.log(`sameness ${middle}: ${counts.join(', ')} people counted of ${PEOPLE} strangers`)
  return middle
}

if (isMainThread) {
  const [{ model, recall }, ...folds] = await Promise.all([null, ...FOLDS].map(start))
  console.log(`threshold ${model.threshold}: recall ${recall.toFixed(3)} of training faces in fresh frames`)
  model.sameness = choose(folds.flat())
  const target = fileURLToPath(new URL('../../people-recognition/tasks/model.json', import.meta.url))
  writeFileSync(target, `${JSON.stringify(model)}\n`)
  console.log(`wrote ${target}`)
} else parentPort.postMessage(work(workerData))
