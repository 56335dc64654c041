// Groups the faces of all devices into people. The threshold was chosen in training, on other people.
import { readFileSync } from 'node:fs'
import { peopleOf } from './vision/people.mjs'

const { sameness } = JSON.parse(readFileSync(new URL('./model.json', import.meta.url), 'utf8'))

export function run({ recognitionStats }, _args, context) {
  const sightings = recognitionStats.flatMap(({ device, value }) =>
    value.faces.map((face) => ({ device, frame: value.frame, ...face })),
  )
  const people = peopleOf(sightings, sameness)
    .map((group) => group.map((index) => sightings[index]).sort((a, b) => (a.frame < b.frame ? -1 : 1)))
    .sort((a, b) => (a[0].frame < b[0].frame ? -1 : a[0].frame > b[0].frame ? 1 : a[0].x - b[0].x))
    .map((group, index) => ({
      person: index + 1,
      sightings: group.map(({ frame, x, y, size }) => ({ frame, x, y, size })),
    }))
  context.log(`${sightings.length} faces in ${recognitionStats.length} frames are ${people.length} people`)
  return { uniquePeople: people.length, faces: sightings.length, frames: recognitionStats.length, people }
}
