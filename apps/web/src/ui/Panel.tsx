/** Layout of a screen: titled panels and scrollable regions. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type HTMLAttributes, type ReactNode, type Ref, useId, useState } from 'react'
import { Term } from '../words/Term.tsx'
import type { WordId } from '../words/words.ts'

/** A titled section of a screen, with actions at the right of its title. A folded one shows its content once it is opened. */
export function Panel({
  title,
  term,
  actions,
  children,
  className = '',
  testId,
  folded = false,
}: {
  title: string
  /** Explains the title. */
  term?: WordId
  actions?: ReactNode
  children: ReactNode
  className?: string
  testId?: string
  folded?: boolean
}) {
  const id = useId()
  const [open, setOpen] = useState(!folded)
  return (
    <section
      aria-labelledby={id}
      data-testid={testId}
      className={`panel flex min-w-0 flex-col rounded-lg border border-line bg-surface ${className}`}
    >
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-3 py-2">
        <span className="-my-1 flex min-h-6 items-center gap-0.5">
          <h2 id={id} className="text-sm font-semibold">
            {folded ? (
              <button
                type="button"
                aria-expanded={open}
                onClick={() => setOpen(!open)}
                className="flex items-center gap-1.5"
              >
                {open ? (
                  <ChevronDown className="size-4 text-muted" aria-hidden="true" />
                ) : (
                  <ChevronRight className="size-4 text-muted" aria-hidden="true" />
                )}
                {title}
              </button>
            ) : (
              title
            )}
          </h2>
          {term && <Term of={term} />}
        </span>
        {actions}
      </header>
      {open && <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-3 p-3">{children}</div>}
    </section>
  )
}

/** A scrollable region. It can be focused, so that the keyboard scrolls it; screen-reader text inside scrolls along. */
export function Scroll({
  label,
  ref,
  className = '',
  children,
  ...rest
}: { label: string; ref?: Ref<HTMLElement> } & HTMLAttributes<HTMLElement>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus, the keyboard could not scroll to its hidden part.
    <section ref={ref} aria-label={label} tabIndex={0} className={`relative ${className}`} {...rest}>
      {children}
    </section>
  )
}
