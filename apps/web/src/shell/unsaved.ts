/** Projects with unsaved changes. The Explore and Run screens show a note, since they use the saved version. */
import { useSyncExternalStore } from 'react'

/** Unsaved changes of one project. */
export interface Unsaved {
  /** Saves the changes. Resolves to false when they could not be saved. */
  save: () => Promise<boolean>
}

const projects = new Map<string, Unsaved>()
const listeners = new Set<() => void>()

/** Registers the unsaved changes of a project; `null` when it has none. */
export function setUnsaved(project: string, unsaved: Unsaved | null): void {
  if (unsaved) projects.set(project, unsaved)
  else if (!projects.delete(project)) return
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The unsaved changes of a project; `undefined` when it has none. */
export const useUnsaved = (project: string): Unsaved | undefined =>
  useSyncExternalStore(subscribe, () => projects.get(project))
