/** What was not saved yet, kept in this browser so that a crash or a closed tab loses nothing. */
import type { Nodes } from './layout.ts'

export interface Draft {
  /** The version it was made from. */
  base: number
  text: string
  nodes: Nodes
  /** ISO 8601. */
  at: string
  /** The page that keeps it: two tabs may have the same project open. */
  page: string
}

/** What another tab has that this one has not: unsaved changes, or a version it saved. */
export type Elsewhere = { kind: 'draft'; draft: Draft } | { kind: 'version'; number: number }

export const draftKey = (project: string): string => `hivemind.draft.${project}`

/** The draft that a stored value is; `null` when it is none. */
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

/** False when the browser would not keep it. */
export function keepDraft(project: string, draft: Draft): boolean {
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
    // Nothing was kept.
  }
}

/** Names this state of this draft. */
export const stampOf = ({ page, at }: Pick<Draft, 'page' | 'at'>): string => `${page} ${at}`

/**
 * Whether a stored draft is work of another page that this one has not seen, so that writing over it would lose it.
 * `seen` is the stamp of the last draft of another page that was loaded here, or that the person decided against.
 */
export const isOfAnother = (
  stored: Draft | null,
  own: { page: string; seen: string; text: string; nodes: Nodes },
): boolean =>
  stored !== null &&
  stored.page !== own.page &&
  stampOf(stored) !== own.seen &&
  (stored.text !== own.text || JSON.stringify(stored.nodes) !== JSON.stringify(own.nodes))
