// Makes the frames of the people-recognition example and its ground truth. The same source gives the same bytes.
// Usage: node examples/tools/people/make-frames.mjs <data folder of scikit-image>
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { encodePng } from '../../people-recognition/tasks/vision/png.mjs'
import { alteration, groundFrame, paste, squares, toPixels } from './compose.mjs'
import { PEOPLE, random, readSource } from './source.mjs'

const FEEDS = 4
const FRAMES = 16
/** Sightings of each person, spread over the feeds. */
const SIGHTINGS = 5

const source = readSource(process.argv[2])
const next = random(25)
const target = fileURLToPath(new URL('../../people-recognition/', import.meta.url))

const slots = []
for (let feed = 1; feed <= FEEDS; feed++)
  for (let seq = 0; seq < FRAMES; seq++) slots.push({ feed, seq, people: [] })
// Four frames in a feed show nobody; people move about, so one person is seen by several feeds.
const open = slots.filter(({ seq }) => seq % 4 !== 3)
for (let person = 0; person < PEOPLE; person++)
  for (let sighting = 0; sighting < SIGHTINGS; sighting++) {
    const wanted = 1 + ((person + sighting) % FEEDS)
    const free = open.filter(
      ({ feed, people }) => feed === wanted && people.length < 4 && !people.includes(person),
    )
    free.sort((a, b) => a.people.length - b.people.length)
    const least = free.filter(({ people }) => people.length === free[0].people.length)
    least[Math.floor(next() * least.length)].people.push(person)
  }

rmSync(`${target}data/frames`, { recursive: true, force: true })
const truth = []
for (const { feed, seq, people } of slots) {
  const frame = groundFrame(source.grounds, next)
  const distractors = Math.floor(next() * 2)
  const places = squares(people.length + distractors, next)
  people.forEach((person, index) => {
    paste(frame, source.people[person], places[index], alteration(next), next)
    truth.push({ feed, seq, person, ...places[index] })
  })
  for (const place of places.slice(people.length))
    paste(frame, source.nonFaces[Math.floor(next() * source.nonFaces.length)], place, alteration(next), next)
  const folder = `${target}data/frames/feed-${feed}`
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/${String(seq).padStart(3, '0')}.png`, encodePng(toPixels(frame)))
}
const groundTruth = { uniquePeople: PEOPLE, feeds: FEEDS, framesPerFeed: FRAMES, sightings: truth }
writeFileSync(`${target}ground-truth.json`, `${JSON.stringify(groundTruth, null, 1)}\n`)
console.log(`${slots.length} frames, ${truth.length} sightings of ${PEOPLE} people`)
