export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** The smallest rectangle around all; an empty one around none. */
export function boundsOf(all: readonly Rectangle[]): Rectangle {
  if (all.length === 0) return { x: 0, y: 0, width: 0, height: 0 }
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y, width, height } of all) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** How the canvas, in its coordinates, lies in a small picture of it, in pixels. */
export interface Frame {
  fromCanvas: (on: Rectangle) => Rectangle
  toCanvas: (at: { x: number; y: number }) => { x: number; y: number }
}

/** Space around what is shown, as a share of the picture. */
const MARGIN = 0.1
/** Few tasks are not drawn larger than this. */
const LARGEST_SCALE = 0.1

/** Fits a part of the canvas into the middle of a picture. */
export function frameOf(shown: Rectangle, size: { width: number; height: number }): Frame {
  const scale = Math.min(
    LARGEST_SCALE,
    ((1 - 2 * MARGIN) * size.width) / Math.max(1, shown.width),
    ((1 - 2 * MARGIN) * size.height) / Math.max(1, shown.height),
  )
  const left = size.width / 2 - (shown.x + shown.width / 2) * scale
  const top = size.height / 2 - (shown.y + shown.height / 2) * scale
  return {
    fromCanvas: ({ x, y, width, height }) => ({
      x: left + x * scale,
      y: top + y * scale,
      width: width * scale,
      height: height * scale,
    }),
    toCanvas: ({ x, y }) => ({ x: (x - left) / scale, y: (y - top) / scale }),
  }
}
