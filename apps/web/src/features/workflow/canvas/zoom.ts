/** What can be read on the canvas at which zoom. */

/** The part of React Flow's state that says how far the canvas is zoomed. */
export interface Zoomed {
  transform: [x: number, y: number, zoom: number]
}

/** Below this zoom only names are drawn, larger than they would be. */
export const FAR = 0.8
