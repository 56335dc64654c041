// One set of frames of the people-recognition example: which people are where, and the frames themselves.
import { alteration, groundFrame, paste, squares, toPixels } from './compose.mjs'

export const FEEDS = 4
export const FRAMES = 16
/** Sightings of each person, spread over the feeds. */
const SIGHTINGS = 5

/**
 * The frames of `people` (photographs) as `{ feed, seq, image, sightings }`; `image` has 8-bit pixels, `sightings` says
 * who was pasted where and how altered. `next` is the source of randomness.
 */
export function* makeFrames({ people, nonFaces, grounds }, next) {
  const slots = []
  for (let feed = 1; feed <= FEEDS; feed++)
    for (let seq = 0; seq < FRAMES; seq++) slots.push({ feed, seq, people: [] })
  // Four frames in a feed show nobody; people move about, so one person is seen by several feeds.
  const open = slots.filter(({ seq }) => seq % 4 !== 3)
  for (let person = 0; person < people.length; person++)
    for (let sighting = 0; sighting < SIGHTINGS; sighting++) {
      const wanted = 1 + ((person + sighting) % FEEDS)
      const free = open.filter(
        ({ feed, people }) => feed === wanted && people.length < 4 && !people.includes(person),
      )
      free.sort((a, b) => a.people.length - b.people.length)
      const least = free.filter(({ people }) => people.length === free[0].people.length)
      least[Math.floor(next() * least.length)].people.push(person)
    }

  for (const { feed, seq, people: seen } of slots) {
    const frame = groundFrame(grounds, next)
    const distractors = Math.floor(next() * 2)
    const places = squares(seen.length + distractors, next)
    const sightings = seen.map((person, index) => {
      const how = alteration(next)
      paste(frame, people[person], places[index], how, next)
      return { person, ...places[index], how }
    })
    for (const place of places.slice(seen.length))
      paste(frame, nonFaces[Math.floor(next() * nonFaces.length)], place, alteration(next), next)
    yield { feed, seq, image: toPixels(frame), sightings }
  }
}
