import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const here = new URL('./', import.meta.url)
const truth = JSON.parse(readFileSync(new URL('ground-truth.json', here), 'utf8')) as {
  uniquePeople: number
  sightings: { feed: number; seq: number; person: number; x: number; y: number; size: number }[]
}

interface Face {
  frame: string
  x: number
  y: number
  size: number
}

/** The tasks' functions in one process, as docs/task-code.md says they are called. */
async function runOn(devices: number) {
  const load = async (name: string) => (await import(new URL(`tasks/${name}.mjs`, here).href)).run
  const [route, collect, recognise, deduplicate] = await Promise.all(
    ['create-route', 'collect-image', 'face-recognition', 'deduplication'].map(load),
  )
  const names = Array.from({ length: devices }, (_, index) => `device-${index + 1}`)
  const recognitionStats: unknown[] = []
  const base = { devices: names, log: () => {}, path: (file: string) => fileURLToPath(new URL(file, here)) }
  for (const [deviceIndex, device] of names.entries()) {
    const context = { ...base, device, deviceIndex }
    const outputRoute = route({ inputMap: null }, {}, context)
    let seq = 0
    for (const sensorData of collect({ outputRoute }, { resolution: '320x240' }, context))
      recognitionStats.push({ device, seq: seq++, value: recognise({ sensorData }) })
  }
  return deduplicate({ recognitionStats }, {}, { ...base, device: '*' }) as {
    uniquePeople: number
    people: { sightings: Face[] }[]
  }
}

it.each([2, 5])(
  'counts the people within one of the truth on %i devices',
  async (devices) => {
    const { uniquePeople } = await runOn(devices)
    expect(Math.abs(uniquePeople - truth.uniquePeople)).toBeLessThanOrEqual(1)
  },
  120_000,
)

it('finds nearly every face and little else', async () => {
  const { people } = await runOn(1)
  const found = people.flatMap(({ sightings }) => sightings)
  const near = (face: Face) =>
    truth.sightings.some(
      ({ feed, seq, x, y, size }) =>
        face.frame === `feed-${feed}/${String(seq).padStart(3, '0')}` &&
        Math.hypot(face.x + face.size / 2 - x - size / 2, face.y + face.size / 2 - y - size / 2) < size / 3,
    )
  const right = found.filter(near).length
  console.log(
    `recall ${(right / truth.sightings.length).toFixed(3)}, precision ${(right / found.length).toFixed(3)}`,
  )
  expect(right / truth.sightings.length).toBeGreaterThan(0.85)
  expect(right / found.length).toBeGreaterThan(0.95)
}, 120_000)
