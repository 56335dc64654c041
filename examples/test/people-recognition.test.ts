/**
 * The count of people on the frames of the example, and on a second set of the same people made with another seed
 * (`people-other-frames`, see its README). Neither set was used to train or choose anything.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const example = new URL('../people-recognition/', import.meta.url)

interface Square {
  x: number
  y: number
  size: number
}

interface Truth {
  uniquePeople: number
  sightings: (Square & { feed: number; seq: number; person: number })[]
}

interface People {
  uniquePeople: number
  people: { sightings: (Square & { frame: string })[] }[]
}

const task = async (name: string) => (await import(new URL(`tasks/${name}.mjs`, example).href)).run

/** The tasks on the frames of a folder, called as docs/task-code.md says; a frame is looked at once, however many devices. */
async function tasksOn(folder: URL) {
  const [route, collect, recognise, deduplicate] = await Promise.all(
    ['create-route', 'collect-image', 'face-recognition', 'deduplication'].map(task),
  )
  const known = new Map<string, unknown>()
  const base = { log: () => {}, path: (file: string) => fileURLToPath(new URL(file, folder)) }
  return (count: number): People => {
    const devices = Array.from({ length: count }, (_, index) => `device-${index + 1}`)
    const recognitionStats: unknown[] = []
    for (const [deviceIndex, device] of devices.entries()) {
      const context = { ...base, devices, device, deviceIndex }
      const outputRoute = route({ inputMap: null }, {}, context)
      let seq = 0
      for (const sensorData of collect({ outputRoute }, { resolution: '320x240' }, context)) {
        const value = known.get(sensorData.frame) ?? recognise({ sensorData })
        known.set(sensorData.frame, value)
        recognitionStats.push({ device, seq: seq++, value })
      }
    }
    return deduplicate({ recognitionStats }, {}, { ...base, devices, device: '*' })
  }
}

describe.each([
  { set: 'the frames of the example', folder: example, margin: 1 },
  { set: 'frames of another seed', folder: new URL('people-other-frames/', import.meta.url), margin: 2 },
])('on $set', ({ folder, margin }) => {
  const truth = JSON.parse(readFileSync(new URL('ground-truth.json', folder), 'utf8')) as Truth

  it(`counts the people within ${margin}, however many devices there are, and places them rightly`, async () => {
    const countOn = await tasksOn(folder)
    const { uniquePeople, people } = countOn(2)
    expect(Math.abs(uniquePeople - truth.uniquePeople)).toBeLessThanOrEqual(margin)
    expect([1, 5].map((devices) => countOn(devices).uniquePeople)).toEqual([uniquePeople, uniquePeople])

    const found = people.flatMap(({ sightings }) => sightings)
    const near = (face: Square & { frame: string }) =>
      truth.sightings.some(
        ({ feed, seq, x, y, size }) =>
          face.frame === `feed-${feed}/${String(seq).padStart(3, '0')}` &&
          Math.hypot(face.x + face.size / 2 - x - size / 2, face.y + face.size / 2 - y - size / 2) < size / 3,
      )
    const right = found.filter(near).length
    expect(right / truth.sightings.length).toBeGreaterThan(0.85)
    expect(right / found.length).toBeGreaterThan(0.95)
  }, 300_000)
})
