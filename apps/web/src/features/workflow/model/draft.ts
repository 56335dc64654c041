/** Unsaved changes, stored in this browser so that a crash or a closed tab loses nothing. */
import type { Nodes } from './layout.ts'

/** A stored draft. */
export interface Draft {
  /** Number of the version it is based on. */
  base: number
  text: string
  nodes: Nodes
  /** ISO 8601. */
  at: string
  /** Id of the page that stored it, since several tabs may have the project open. */
  page: string
}

/** What another tab has that this one has not: unsaved changes, or a version it saved. */
export type OtherTabChange = { kind: 'draft'; draft: Draft } | { kind: 'version'; number: number }

export const draftKey = (project: string): string => `hivemind.draft.${project}`

/** Parses a stored value; `null` when it is no draft. */
export function parseDraft(stored: string | null): Draft | null {
  try {
    const kept: unknown = JSON.parse(stored ?? 'null')
    if (typeof kept !== 'object' || kept === null) return null
    const { base, text, nodes, at, page } = kept as Record<string, unknown>
    if (typeof base !== 'number' || typeof text !== 'string' || typeof at !== 'string') return null
    return { base, text, nodes: (nodes ?? {}) as Nodes, at, page: typeof page === 'string' ? page : '' }
  } catch {
    return null
  }
}

export function readDraft(project: string): Draft | null {
  try {
    return parseDraft(localStorage.getItem(draftKey(project)))
  } catch {
    return null
  }
}

/** Stores a draft. False when the browser refuses. */
export function storeDraft(project: string, draft: Draft): boolean {
  try {
    localStorage.setItem(draftKey(project), JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}

export function dropDraft(project: string): void {
  try {
    localStorage.removeItem(draftKey(project))
  } catch {
    // Storage is unavailable: there is no draft.
  }
}

/** Identifies one state of one draft. */
export const stampOf = ({ page, at }: Pick<Draft, 'page' | 'at'>): string => `${page} ${at}`

/**
 * Whether a stored draft is another page's and was neither loaded nor rejected here, so that overwriting it would lose it.
 * `seen` is the stamp of the last draft of another page that was loaded or rejected here.
 */
export const isOfAnother = (
  stored: Draft | null,
  own: { page: string; seen: string; text: string; nodes: Nodes },
): boolean =>
  stored !== null &&
  stored.page !== own.page &&
  stampOf(stored) !== own.seen &&
  (stored.text !== own.text || JSON.stringify(stored.nodes) !== JSON.stringify(own.nodes))
