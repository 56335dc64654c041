import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { IconButton } from '../../../ui/IconButton.tsx'
import type { Zoom } from './useZoom.ts'

/** Buttons that zoom a time axis. */
export function ZoomButtons({ zoom, what }: { zoom: Zoom; what: string }) {
  return (
    <span className="flex">
      <IconButton label={`Zoom into ${what}`} keys="+" onClick={() => zoom.zoomBy(2)}>
        <ZoomIn className="size-4" aria-hidden="true" />
      </IconButton>
      <IconButton
        label={`Zoom out of ${what}`}
        keys="-"
        disabled={zoom.isWhole}
        onClick={() => zoom.zoomBy(0.5)}
      >
        <ZoomOut className="size-4" aria-hidden="true" />
      </IconButton>
      <IconButton label={`Show all of ${what}`} keys="0" disabled={zoom.isWhole} onClick={zoom.fit}>
        <Maximize className="size-4" aria-hidden="true" />
      </IconButton>
    </span>
  )
}
