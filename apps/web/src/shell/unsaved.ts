/** Which projects have changes that are not saved, for the screens that show only what is. */
import { useSyncExternalStore } from 'react'

export interface Unsaved {
  /** Resolves to true when it is saved. */
  save: () => Promise<boolean>
}

const projects = new Map<string, Unsaved>()
const listeners = new Set<() => void>()

/** Says that a project has unsaved changes, or, with `null`, that it has none. */
export function setUnsaved(project: string, unsaved: Unsaved | null): void {
  if (unsaved) projects.set(project, unsaved)
  else if (!projects.delete(project)) return
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useUnsaved = (project: string): Unsaved | undefined =>
  useSyncExternalStore(subscribe, () => projects.get(project))
