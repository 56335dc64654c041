import { type ReactNode, useState } from 'react'
import { Button } from './Button.tsx'

/**
 * The first rows of a list that may be long, and a button that shows ten times as many more, `null` when all are
 * shown: thousands of rows that nobody has asked for make every click on the page slow.
 */
export function useFirst<T>(all: readonly T[], most: number): { first: readonly T[]; more: ReactNode } {
  const [shown, setShown] = useState(most)
  const left = all.length - shown
  return {
    first: left > 0 ? all.slice(0, shown) : all,
    more:
      left > 0 ? (
        <Button className="self-start" onClick={() => setShown((old) => old + 10 * most)}>
          Show more ({left.toLocaleString('en-GB')} left)
        </Button>
      ) : null,
  }
}
