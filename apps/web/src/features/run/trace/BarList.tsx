import type { KeyboardEvent, ReactNode } from 'react'

/** A chart of bars as a list that the keyboard goes through: its options are the elements with `role="option"` inside. */
export function BarList({
  label,
  active,
  width,
  height,
  testId,
  onKeyDown,
  children,
}: {
  label: string
  /** Id of the active option. */
  active: string | undefined
  width: number
  height: number
  testId: string
  onKeyDown: (event: KeyboardEvent) => void
  children: ReactNode
}) {
  return (
    <div
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={active}
      onKeyDown={onKeyDown}
      data-testid={testId}
      className="rounded-xs -outline-offset-2!"
    >
      <svg width={width} height={height} role="presentation" className="block">
        {children}
      </svg>
    </div>
  )
}
