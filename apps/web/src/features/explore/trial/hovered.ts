/** The candidate under the pointer in a plot. Kept outside React's state, so that pointing renders only who listens. */
import { createContext, use, useSyncExternalStore } from 'react'

export interface Hovered {
  get: () => string | undefined
  set: (id: string | undefined) => void
  subscribe: (listener: () => void) => () => void
}

/** Creates one for a page. */
export function createHovered(): Hovered {
  let id: string | undefined
  const listeners = new Set<() => void>()
  return {
    get: () => id,
    set: (next) => {
      if (next === id) return
      id = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const HoveredContext = createContext<Hovered>(createHovered())

/** The id of the candidate under the pointer; `undefined` when there is none. */
export function useHovered(): string | undefined {
  const hovered = use(HoveredContext)
  return useSyncExternalStore(hovered.subscribe, hovered.get)
}
