/** Light or dark: as the system says, unless the person has chosen; kept in this browser. */
import { useSyncExternalStore } from 'react'

export type Choice = 'system' | 'light' | 'dark'
const KEY = 'hivemind.scheme'
const system = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function read(): Choice {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
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

/** Applies the scheme and follows the system from now on. Called once, before the first render. */
export function startScheme(): void {
  system.addEventListener('change', apply)
  apply()
}

export function choose(next: Choice): void {
  choice = next
  try {
    if (next === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // Private windows may refuse to keep it; it still holds for this page.
  }
  apply()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useChoice = (): Choice => useSyncExternalStore(subscribe, () => choice)
