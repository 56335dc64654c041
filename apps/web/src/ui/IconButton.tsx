import { Tooltip } from 'radix-ui'
import type { ButtonHTMLAttributes, ReactNode } from 'react'

/** An icon-only button. `label` is its accessible name and its tooltip; `keys` names its keyboard shortcut there. */
export function IconButton({
  label,
  keys,
  children,
  className = '',
  ...rest
}: { label: string; keys?: string; children: ReactNode } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <Tooltip.Provider delayDuration={400}>
      <Tooltip.Root>
        <Tooltip.Trigger asChild>
          <button
            type="button"
            aria-label={label}
            {...rest}
            className={`inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink hover:bg-sunken disabled:cursor-not-allowed disabled:text-muted disabled:opacity-50 aria-pressed:bg-accent-soft aria-pressed:text-accent-strong ${className}`}
          >
            {children}
          </button>
        </Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content
            sideOffset={4}
            className="z-50 rounded-md bg-ink px-2 py-1 text-xs text-surface shadow-md"
          >
            {label}
            {keys && <kbd className="ml-2 font-sans opacity-75">{keys}</kbd>}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  )
}
