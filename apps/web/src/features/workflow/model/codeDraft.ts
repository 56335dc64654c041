/** Unsaved changes of code files, stored in this browser so that Back, a reload or a crash loses nothing. */

/** Unsaved text of one file. */
export interface CodeDraft {
  /** Hash of the content it was made from; `none` when there was no file. */
  base: string
  text: string
  /** ISO 8601. */
  at: string
}

const keyOf = (project: string, path: string): string => `hivemind.code.${project}.${path}`

/** Parses a stored value; `null` when it is no draft. */
export function parseCodeDraft(stored: string | null): CodeDraft | null {
  try {
    const { base, text, at } = JSON.parse(stored ?? '{}') as Record<string, unknown>
    if (typeof base !== 'string' || typeof text !== 'string' || typeof at !== 'string') return null
    return { base, text, at }
  } catch {
    return null
  }
}

export function readCodeDraft(project: string, path: string): CodeDraft | null {
  try {
    return parseCodeDraft(localStorage.getItem(keyOf(project, path)))
  } catch {
    return null
  }
}

/** Stores a draft. False when the browser refuses. */
export function storeCodeDraft(project: string, path: string, draft: CodeDraft): boolean {
  try {
    localStorage.setItem(keyOf(project, path), JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}

export function dropCodeDraft(project: string, path: string): void {
  try {
    localStorage.removeItem(keyOf(project, path))
  } catch {
    // Storage is unavailable: there is no draft.
  }
}

/** Paths of a project's files that have a draft, in order. */
export function codeDraftsOf(project: string): string[] {
  try {
    const prefix = keyOf(project, '')
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .sort()
  } catch {
    return []
  }
}
