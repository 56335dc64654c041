import type { Pages } from '../api/usePages.ts'
import { Button } from './Button.tsx'

/** Shows the next page of a list; nothing when there is none. */
export function MoreButton({
  pages,
  what,
}: {
  pages: Pick<Pages<unknown>, 'more' | 'loading'>
  what: string
}) {
  if (!pages.more) return null
  return (
    <Button className="self-center" busy={pages.loading} data-testid="more" onClick={pages.more}>
      Show more {what}
    </Button>
  )
}
