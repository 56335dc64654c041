// Makes the frames of the people-recognition example and its ground truth. The same source gives the same bytes.
// Usage: node examples/tools/people/make-frames.mjs <data folder of scikit-image>
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { encodePng } from '../../people-recognition/tasks/vision/png.mjs'
import { FEEDS, FRAMES, makeFrames } from './frames.mjs'
import { PEOPLE, random, readSource } from './source.mjs'

const target = fileURLToPath(new URL('../../people-recognition/', import.meta.url))
rmSync(`${target}data/frames`, { recursive: true, force: true })
const truth = []
let frames = 0
for (const { feed, seq, image, sightings } of makeFrames(readSource(process.argv[2]), random(25))) {
  const folder = `${target}data/frames/feed-${feed}`
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/${String(seq).padStart(3, '0')}.png`, encodePng(image))
  for (const { person, x, y, size } of sightings) truth.push({ feed, seq, person, x, y, size })
  frames++
}
const groundTruth = { uniquePeople: PEOPLE, feeds: FEEDS, framesPerFeed: FRAMES, sightings: truth }
writeFileSync(`${target}ground-truth.json`, `${JSON.stringify(groundTruth, null, 1)}\n`)
console.log(`${frames} frames, ${truth.length} sightings of ${PEOPLE} people`)
