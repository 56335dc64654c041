import { type ReactFlowState, useReactFlow, useStore } from '@xyflow/react'
import { memo, type PointerEvent, useEffect, useMemo, useRef } from 'react'
import { tierColour } from '../../reports/tiers.ts'
import type { CanvasNode } from './groupNodes.ts'
import { boundsOf, type Frame, frameOf, type Rectangle } from './overviewFrame.ts'

const colourOf = (node: CanvasNode): string =>
  node.data.errors
    ? 'var(--color-danger)'
    : node.type === 'task' && node.data.pin
      ? tierColour[node.data.pin.tier]
      : 'var(--color-line-strong)'

/** In pixels. */
const SIZE = { width: 152, height: 104 }

/** The part of the canvas that is in sight, in its own coordinates. */
const sightOf = ({ transform: [x, y, zoom], width, height }: ReactFlowState): Rectangle => ({
  x: -x / zoom,
  y: -y / zoom,
  width: width / zoom,
  height: height / zoom,
})
const isSame = (a: Rectangle, b: Rectangle): boolean =>
  a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height

const rectangleOf = ({ position: { x, y }, width = 0, height = 0 }: CanvasNode): Rectangle => ({
  x,
  y,
  width,
  height,
})

/**
 * The whole workflow in a corner of the canvas, with the part in sight marked. A press there brings that place into sight, the
 * wheel zooms. Instead of React Flow's own, which has an element for each task: with 1,000 that was a third of the time of a drag.
 */
export function Overview({ nodes }: { nodes: readonly CanvasNode[] }) {
  const { setCenter, getZoom, zoomTo } = useReactFlow()
  const frame = useMemo(() => frameOf(boundsOf(nodes.map(rectangleOf)), SIZE), [nodes])
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = box.current
    const zoom = (event: WheelEvent): void => {
      // React's own listener is passive, and the page would scroll.
      event.preventDefault()
      void zoomTo(getZoom() * 2 ** (-event.deltaY / 500))
    }
    element?.addEventListener('wheel', zoom, { passive: false })
    return () => element?.removeEventListener('wheel', zoom)
  }, [getZoom, zoomTo])
  const go = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLDivElement>): void => {
    const { left, top } = currentTarget.getBoundingClientRect()
    const { x, y } = frame.toCanvas({ x: clientX - left, y: clientY - top })
    void setCenter(x, y, { zoom: getZoom() })
  }
  return (
    <div
      ref={box}
      role="img"
      aria-label="Overview"
      title="Press to go there"
      className="absolute right-4 bottom-4 z-5 cursor-crosshair touch-none overflow-hidden bg-surface outline outline-line max-xl:hidden"
      style={SIZE}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        go(event)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) go(event)
      }}
    >
      <Tasks nodes={nodes} frame={frame} />
      <Sight frame={frame} />
    </div>
  )
}

/** One path for all tasks of a colour. */
const Tasks = memo(function Tasks({ nodes, frame }: { nodes: readonly CanvasNode[]; frame: Frame }) {
  const paths = new Map<string, string>()
  for (const node of nodes) {
    const { x, y, width, height } = frame.fromCanvas(rectangleOf(node))
    const colour = colourOf(node)
    paths.set(colour, `${paths.get(colour) ?? ''}M${x} ${y}h${width}v${height}h${-width}z`)
  }
  return (
    <svg {...SIZE} aria-hidden="true">
      {[...paths].map(([colour, path]) => (
        <path key={colour} d={path} fill={colour} />
      ))}
    </svg>
  )
})

/** In a layer of its own, so that a pan does not paint the tasks again. */
function Sight({ frame }: { frame: Frame }) {
  const { x, y, width, height } = frame.fromCanvas(useStore(sightOf, isSame))
  return (
    <div
      className="absolute top-0 left-0 border border-accent bg-accent/10 will-change-transform"
      style={{ width, height, transform: `translate(${x}px, ${y}px)` }}
    />
  )
}
