// Frames composed from photographs: ground textures, and faces pasted as altered copies.
import { sample } from '../../people-recognition/tasks/vision/image.mjs'

export const WIDTH = 320
export const HEIGHT = 240

const between = (next, low, high) => low + (high - low) * next()

/** A stretch of ground: a texture at a random place and light, softened. */
export function groundFrame(grounds, next) {
  const texture = grounds[Math.floor(next() * grounds.length)]
  const zoom = between(next, 0.7, 1.2)
  const ox = next() * (texture.width - WIDTH * zoom - 2)
  const oy = next() * (texture.height - HEIGHT * zoom - 2)
  const gain = between(next, 0.35, 0.6)
  const offset = between(next, 40, 90)
  const slope = between(next, -0.12, 0.12)
  const data = new Float32Array(WIDTH * HEIGHT)
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) {
      let sum = 0
      for (const [dx, dy] of [
        [0, 0],
        [1.2, 0],
        [0, 1.2],
        [1.2, 1.2],
      ])
        sum += sample(texture, ox + (x + dx) * zoom, oy + (y + dy) * zoom)
      data[y * WIDTH + x] = offset + (gain * sum) / 4 + slope * (x - WIDTH / 2)
    }
  return { width: WIDTH, height: HEIGHT, data }
}

/** How a copy is altered: pose (turn, shear), light, blur, noise, and sometimes something in front of it. */
export function alteration(next) {
  return {
    turn: between(next, -0.12, 0.12),
    shear: between(next, -0.08, 0.08),
    gain: between(next, 0.75, 1.15),
    offset: between(next, -18, 22),
    blur: between(next, 0, 0.9),
    noise: between(next, 0, 5),
    cover: next() < 0.2 ? { side: Math.floor(next() * 3), share: between(next, 0.06, 0.16) } : null,
  }
}

/** Pastes a photograph into the frame so that it covers the square `{ x, y, size }`. */
export function paste(frame, photo, { x, y, size }, how, next) {
  const scale = photo.width / size
  const cos = Math.cos(how.turn)
  const sin = Math.sin(how.turn)
  const half = size / 2
  for (let j = 0; j < size; j++)
    for (let i = 0; i < size; i++) {
      const px = Math.round(x) + i
      const py = Math.round(y) + j
      if (px < 0 || py < 0 || px >= frame.width || py >= frame.height) continue
      const u = i - half + 0.5
      const v = j - half + 0.5
      const rx = (cos * u + sin * v + how.shear * v + half) * scale - 0.5
      const ry = (-sin * u + cos * v + half) * scale - 0.5
      const b = how.blur
      let value =
        (2 * sample(photo, rx, ry) +
          sample(photo, rx - b, ry) +
          sample(photo, rx + b, ry) +
          sample(photo, rx, ry - b) +
          sample(photo, rx, ry + b)) /
        6
      value = (value - 128) * how.gain + 128 + how.offset + (next() + next() - 1) * 2 * how.noise
      if (covered(how.cover, i / size, j / size)) value = 70
      const edge = Math.min(i, j, size - 1 - i, size - 1 - j)
      const share = Math.min(1, (edge + 0.5) / 3)
      const at = py * frame.width + px
      frame.data[at] = value * share + frame.data[at] * (1 - share)
    }
}

function covered(cover, u, v) {
  if (!cover) return false
  return cover.side === 0 ? v > 1 - cover.share : cover.side === 1 ? u < cover.share : u > 1 - cover.share
}

/** Squares for `count` faces that do not touch each other. */
export function squares(count, next) {
  const taken = []
  for (let tries = 0; taken.length < count && tries < 500; tries++) {
    const size = Math.round(between(next, 40, 60))
    const x = Math.round(between(next, 4, WIDTH - size - 4))
    const y = Math.round(between(next, 4, HEIGHT - size - 4))
    const free = taken.every(
      (other) =>
        x > other.x + other.size + 4 ||
        other.x > x + size + 4 ||
        y > other.y + other.size + 4 ||
        other.y > y + size + 4,
    )
    if (free) taken.push({ x, y, size })
  }
  return taken
}

/** The frame as 8-bit pixels in 64 shades, which keeps the files small. */
export function toPixels(frame) {
  return {
    width: frame.width,
    height: frame.height,
    pixels: Uint8Array.from(frame.data, (value) => Math.min(252, Math.max(0, Math.round(value / 4) * 4))),
  }
}
