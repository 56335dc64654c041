/** Colour scheme: the system's, unless the user has chosen light or dark. The browser stores the choice. */
import { useSyncExternalStore } from 'react'

export type SchemeChoice = 'system' | 'light' | 'dark'
const KEY = 'hivemind.scheme'
const system = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function read(): SchemeChoice {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system'
  }
}

let choice = read()

function apply(): void {
  const scheme = choice === 'system' ? (system.matches ? 'dark' : 'light') : choice
  document.documentElement.dataset.scheme = scheme
  for (const listener of listeners) listener()
}

/** Applies the scheme and follows changes of the system's. Call once, before the first render. */
export function startScheme(): void {
  system.addEventListener('change', apply)
  apply()
}

/** Applies a choice and stores it. */
export function chooseScheme(next: SchemeChoice): void {
  choice = next
  try {
    if (next === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // Storage is unavailable, as in some private windows: the choice lasts as long as this page.
  }
  apply()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The current choice; re-renders when it changes. */
export const useSchemeChoice = (): SchemeChoice => useSyncExternalStore(subscribe, () => choice)
