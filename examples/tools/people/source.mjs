// The photographs the example is made of, as they lie in the data folder of the Python package scikit-image 0.24.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { toFloat } from '../../people-recognition/tasks/vision/image.mjs'
import { decodePng } from '../../people-recognition/tasks/vision/png.mjs'

const SIDE = 25
/** People of the frames; the other photographs train the detector and the embedding. */
export const PEOPLE = 25

/** `{ people, others, nonFaces, grounds }` from a folder that holds lfw_subset.npy, grass.png and gravel.png. */
export function readSource(folder) {
  const all = readNpy(path.join(folder, 'lfw_subset.npy'))
  const ground = (name) => toFloat(decodePng(readFileSync(path.join(folder, name))))
  return {
    people: all.slice(0, PEOPLE),
    others: all.slice(PEOPLE, 100),
    nonFaces: all.slice(100, 200),
    grounds: ['grass.png', 'gravel.png'].map(ground),
  }
}

/** Square grey images of a .npy file of float64 values 0..1, shape (n, 25, 25). */
function readNpy(file) {
  const bytes = readFileSync(file)
  const headLength = bytes.readUInt16LE(8)
  const head = bytes.toString('latin1', 10, 10 + headLength)
  if (!head.includes("'<f8'") || !head.includes('25, 25'))
    throw new Error(`${file} is not what was expected: ${head}`)
  const count = Number(/\((\d+),/.exec(head)[1])
  return Array.from({ length: count }, (_, index) => {
    const data = new Float32Array(SIDE * SIDE)
    for (let at = 0; at < data.length; at++)
      data[at] = 255 * bytes.readDoubleLE(10 + headLength + 8 * (index * data.length + at))
    return { width: SIDE, height: SIDE, data }
  })
}

/** A seeded source of numbers in [0, 1): the same seed makes the same frames everywhere. */
export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
