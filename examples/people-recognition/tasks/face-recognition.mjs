// Finds the faces of a frame and describes each by points: views of one person lie close.
import { readFileSync } from 'node:fs'
import { detect } from './vision/detect.mjs'
import { embed } from './vision/embed.mjs'
import { toFloat } from './vision/image.mjs'
import { decodePng } from './vision/png.mjs'

const model = JSON.parse(readFileSync(new URL('./model.json', import.meta.url), 'utf8'))

export function run({ sensorData }) {
  const image = toFloat(decodePng(sensorData.image))
  const faces = detect(image, model).map((face) => ({
    x: Math.round(face.x),
    y: Math.round(face.y),
    size: Math.round(face.size),
    score: face.score,
    points: embed(image, face, model),
  }))
  return { frame: sensorData.frame, faces }
}
