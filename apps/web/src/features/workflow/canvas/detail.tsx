/** How much of each task and edge is drawn at the current zoom. One subscription for the canvas instead of one for each of them. */
import { useStore } from '@xyflow/react'
import { createContext, type ReactNode, use, useMemo } from 'react'

/** Below this zoom tasks show only their names, and edges only one line. */
const FAR = 0.8
/** Below this zoom tasks are plain boxes and edges plain lines. */
const BOXES = 0.28
/** Below this zoom edges have no words. */
const WORDS = 0.4
/** Largest font size of a name, in pixels, of which two lines fit on every card. */
const LARGEST_NAME = 22
const LARGEST_LABEL = 26

export interface Detail {
  /** Everything, a large name only, or just a box. */
  level: 'all' | 'name' | 'box'
  /** Font size on the canvas that is 13 pixels on the screen, up to the largest that fits. */
  nameSize: number
  /** Font size of an edge's label, in pixels; `null` when there is space for two small lines. */
  labelSize: number | null
  /** Whether edges have words. */
  words: boolean
}

/** The detail at a zoom factor. */
export function detailAt(zoom: number): Detail {
  return {
    level: zoom >= FAR ? 'all' : zoom >= BOXES ? 'name' : 'box',
    nameSize: Math.min(LARGEST_NAME, Math.round(13 / zoom)),
    labelSize: zoom >= FAR ? null : Math.min(LARGEST_LABEL, Math.round(11.5 / zoom)),
    words: zoom >= WORDS,
  }
}

const DetailContext = createContext(detailAt(1))

/** What is drawn of tasks and edges now. */
export const useDetail = (): Detail => use(DetailContext)

/** Gives the detail to the tasks and edges inside it. They are rendered again only when it changes, not at every zoom. */
export function DetailAtZoom({ children }: { children: ReactNode }) {
  const key = useStore(({ transform }) => JSON.stringify(detailAt(transform[2])))
  const detail = useMemo(() => JSON.parse(key) as Detail, [key])
  return <DetailContext value={detail}>{children}</DetailContext>
}
