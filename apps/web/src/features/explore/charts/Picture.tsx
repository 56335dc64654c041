import type { ReactNode } from 'react'

/** An SVG picture of a given size, in pixels, which shrinks to the available width. Used on the page and in reports. */
export function Picture({
  label,
  width,
  height,
  children,
}: {
  /** Description for screen readers. */
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
