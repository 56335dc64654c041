import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'

/** A modal dialog. It traps focus, closes on Escape, and returns focus to the element that had it before. */
export function Dialog({
  title,
  onClose,
  wide = false,
  children,
}: {
  title: string
  onClose: () => void
  wide?: boolean
  children: ReactNode
}) {
  // Radix returns focus to a `Radix.Trigger` only, and there is none here.
  const [opener] = useState(() => document.activeElement)
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
          }}
          className={`fixed top-1/2 left-1/2 z-50 flex max-h-[85vh] w-[92vw] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-surface shadow-xl ${wide ? 'max-w-4xl' : 'max-w-md'}`}
        >
          <header className="flex items-center justify-between gap-3 border-b border-line px-4 py-2.5">
            <Radix.Title className="truncate text-base font-semibold">{title}</Radix.Title>
            <Radix.Close
              aria-label="Close"
              className="rounded-md p-1 text-muted hover:bg-sunken hover:text-ink"
            >
              <X className="size-4" aria-hidden="true" />
            </Radix.Close>
          </header>
          <div className="min-h-0 overflow-auto p-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
