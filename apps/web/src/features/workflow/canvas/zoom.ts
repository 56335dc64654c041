/** Zoom levels of the canvas. */

/** The part of React Flow's state that holds the zoom. */
export interface Zoomed {
  transform: [x: number, y: number, zoom: number]
}

/** Below this zoom only names are drawn, enlarged. */
export const FAR = 0.8
