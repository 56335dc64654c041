import type { ReactNode } from 'react'

/** A plot as a picture of a given size, in pixels; it shrinks where there is less room. Plain SVG: it goes into reports too. */
export function Picture({
  label,
  width,
  height,
  children,
}: {
  /** What the picture shows, in words. */
  label: string
  width: number
  height: number
  children: ReactNode
}) {
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="block max-w-full"
      role="img"
      aria-label={label}
      fontSize={11}
      fill="var(--color-muted)"
    >
      {children}
    </svg>
  )
}
