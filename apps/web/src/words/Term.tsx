import { CircleHelp } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type ReactNode, useRef, useState } from 'react'
import { type WordId, words } from './words.ts'

/**
 * A word of ours that is explained when it is pointed at, focused or pressed. With children they are the word; without, a question
 * mark stands beside it.
 */
export function Term({ of, children }: { of: WordId; children?: ReactNode }) {
  const { term, says } = words[of]
  const [open, setOpen] = useState(false)
  const pointed = useRef(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        aria-label={children === undefined ? 'Explain this' : undefined}
        data-testid={`term-${of}`}
        onPointerEnter={({ pointerType }) => {
          pointed.current = pointerType === 'mouse'
          if (pointed.current) setOpen(true)
        }}
        onPointerLeave={() => pointed.current && setOpen(false)}
        onFocus={({ target }) => target.matches(':focus-visible') && setOpen(true)}
        onBlur={() => setOpen(false)}
        // the mouse has opened it already
        onClick={(event) => pointed.current && event.preventDefault()}
        className={
          children === undefined
            ? 'inline-flex size-6 shrink-0 cursor-help items-center justify-center rounded-full text-muted hover:text-ink'
            : 'cursor-help underline decoration-dotted underline-offset-2'
        }
      >
        {children ?? <CircleHelp className="size-3.5" aria-hidden="true" />}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          sideOffset={4}
          collisionPadding={8}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          className="pointer-events-none z-50 max-w-72 rounded-md border border-line bg-raised px-3 py-2 text-xs font-normal text-ink normal-case shadow-lg"
        >
          <span className="font-semibold">{term}.</span> {says}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
