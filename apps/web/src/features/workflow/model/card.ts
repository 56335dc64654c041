/** The size of a task on the canvas, and the gaps between tasks, in pixels at zoom 1. */
export const NODE_WIDTH = 192
export const NODE_HEIGHT = 84
export const GAP_X = 112
export const GAP_Y = 36

export interface Point {
  x: number
  y: number
}
export type Points = Readonly<Record<string, Point>>
