/** What was not saved yet, kept in this browser so that a crash or a closed tab loses nothing. */
import type { Nodes } from './layout.ts'

export interface Draft {
  /** The version it was made from. */
  base: number
  text: string
  nodes: Nodes
  /** ISO 8601. */
  at: string
}

const key = (project: string): string => `hivemind.draft.${project}`

export function readDraft(project: string): Draft | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key(project)) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return null
    const { base, text, nodes, at } = kept as Record<string, unknown>
    if (typeof base !== 'number' || typeof text !== 'string' || typeof at !== 'string') return null
    return { base, text, nodes: (nodes ?? {}) as Nodes, at }
  } catch {
    return null
  }
}

/** False when the browser would not keep it. */
export function keepDraft(project: string, draft: Draft): boolean {
  try {
    localStorage.setItem(key(project), JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}

export function dropDraft(project: string): void {
  try {
    localStorage.removeItem(key(project))
  } catch {
    // Nothing was kept.
  }
}
