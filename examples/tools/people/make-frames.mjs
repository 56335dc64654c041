// Makes the frames of the people-recognition example and their ground truth. The same source gives the same bytes.
// Usage: node examples/tools/people/make-frames.mjs <data folder of scikit-image>
// Another set, for the tests: node examples/tools/people/make-frames.mjs <folder> <seed> <target folder>
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodePng } from '../../people-recognition/tasks/vision/png.mjs'
import { FEEDS, FRAMES, makeFrames } from './frames.mjs'
import { PEOPLE, random, readSource } from './source.mjs'

const example = fileURLToPath(new URL('../../people-recognition', import.meta.url))
const [source, seed = '25', target = example] = process.argv.slice(2)
rmSync(path.join(target, 'data/frames'), { recursive: true, force: true })
const truth = []
let frames = 0
for (const { feed, seq, image, sightings } of makeFrames(readSource(source), random(Number(seed)))) {
  const folder = path.join(target, `data/frames/feed-${feed}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, `${String(seq).padStart(3, '0')}.png`), encodePng(image))
  for (const { person, x, y, size } of sightings) truth.push({ feed, seq, person, x, y, size })
  frames++
}
const groundTruth = { uniquePeople: PEOPLE, feeds: FEEDS, framesPerFeed: FRAMES, sightings: truth }
writeFileSync(path.join(target, 'ground-truth.json'), `${JSON.stringify(groundTruth, null, 1)}\n`)
console.log(`${frames} frames, ${truth.length} sightings of ${PEOPLE} people`)
