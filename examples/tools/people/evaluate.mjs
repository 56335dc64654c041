// Counts the people of the example's 25 on frame sets it was never tuned on: the tasks as they are, a table over seeds.
// Usage: node examples/tools/people/evaluate.mjs <data folder of scikit-image> [first seed = 1001] [sets = 24]
import { overlap } from '../../people-recognition/tasks/vision/detect.mjs'
import { encodePng } from '../../people-recognition/tasks/vision/png.mjs'
import { makeFrames } from './frames.mjs'
import { PEOPLE, random, readSource } from './source.mjs'

const task = async (name) => (await import(`../../people-recognition/tasks/${name}.mjs`)).run
const recognise = await task('face-recognition')
const deduplicate = await task('deduplication')

/** One frame set through the tasks, and what of it was right. */
function measure(source, seed) {
  const recognitionStats = []
  let sightings = 0
  let faces = 0
  let right = 0
  for (const { feed, seq, image, sightings: truth } of makeFrames(source, random(seed))) {
    const frame = `feed-${feed}/${String(seq).padStart(3, '0')}`
    const value = recognise({ sensorData: { frame, image: encodePng(image) } })
    recognitionStats.push({ device: `device-${feed}`, seq, value })
    sightings += truth.length
    faces += value.faces.length
    right += value.faces.filter((face) => truth.some((square) => overlap(square, face) > 0.4)).length
  }
  const { uniquePeople } = deduplicate({ recognitionStats }, {}, { log() {} })
  return { counted: uniquePeople, recall: right / sightings, precision: right / faces }
}

const [folder, first = '1001', sets = '24'] = process.argv.slice(2)
const source = readSource(folder)
const results = []
console.log('| seed | people counted | recall | precision |\n| ---- | -------------- | ------ | --------- |')
for (let seed = Number(first); seed < Number(first) + Number(sets); seed++) {
  const { counted, recall, precision } = measure(source, seed)
  results.push(counted)
  console.log(
    `| ${seed} | ${String(counted).padStart(14)} | ${recall.toFixed(3).padStart(6)} | ${precision.toFixed(3).padStart(9)} |`,
  )
}
const within = (margin) => results.filter((counted) => Math.abs(counted - PEOPLE) <= margin).length
console.log(
  `\n${PEOPLE} people; counted ${Math.min(...results)} to ${Math.max(...results)}, ` +
    `right on ${within(0)}, within one on ${within(1)}, within two on ${within(2)} of ${results.length} sets.`,
)
