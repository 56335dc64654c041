import { type ReactNode, useState } from 'react'
import { Button } from './Button.tsx'

/**
 * The first `limit` rows of a long list, and a button that shows ten times as many more. The button is `null` when all
 * rows are shown. Thousands of rows would make every click on the page slow.
 */
export function useFirst<T>(all: readonly T[], limit: number): { first: readonly T[]; more: ReactNode } {
  const [shown, setShown] = useState(limit)
  const left = all.length - shown
  return {
    first: left > 0 ? all.slice(0, shown) : all,
    more:
      left > 0 ? (
        <Button className="self-start" onClick={() => setShown((old) => old + 10 * limit)}>
          Show more ({left.toLocaleString('en-GB')} left)
        </Button>
      ) : null,
  }
}
