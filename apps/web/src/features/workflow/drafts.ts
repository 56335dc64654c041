/** Drafts of unsaved changes, and conflicts with other tabs that have the same project open. */
import { api } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { isDirty } from './model/document.ts'
import {
  type Draft,
  draftKey,
  dropDraft,
  isOfAnother,
  parseDraft,
  readDraft,
  stampOf,
  storeDraft,
} from './model/draft.ts'
import type { Session } from './session.ts'

/** Random id of this page, which distinguishes it from other tabs. */
export const thisPage: string = crypto.getRandomValues(new Uint32Array(3)).join('-')

const DRAFT_AFTER_MS = 400

/** The stored draft when another tab wrote it and this tab has not loaded or rejected it; else `null`. */
function unseenDraft(session: Session, stored: Draft | null): Draft | null {
  const { document, seen } = session
  if (!stored || stored.page === thisPage) return null
  const own = {
    page: thisPage,
    seen: seen.current,
    text: document.actions.file(),
    nodes: document.getState().nodes,
  }
  if (isOfAnother(stored, own)) return stored
  seen.current = stampOf(stored)
  return null
}

/** Deletes the stored draft, unless it is another tab's. */
export function dropOwnDraft(session: Session): void {
  if (!unseenDraft(session, readDraft(session.project.id))) dropDraft(session.project.id)
}

/**
 * Stores unsaved changes as a draft in the browser, and watches for drafts and saves of other tabs, until the returned
 * function is called.
 */
export function keepDrafts(session: Session): () => void {
  const { document, project, view } = session
  let timer: ReturnType<typeof setTimeout> | undefined
  let warned = false

  const keep = (): void => {
    clearTimeout(timer)
    timer = undefined
    const state = document.getState()
    const stored = readDraft(project.id)
    if (!isDirty(state)) return dropOwnDraft(session)
    const draft = unseenDraft(session, stored)
    // Storing would overwrite the other tab's draft: the user decides.
    if (draft) return view.setState({ otherTab: { kind: 'draft', draft } })
    const success = storeDraft(project.id, {
      base: state.saved.version,
      text: document.actions.file(),
      nodes: state.nodes,
      at: new Date().toISOString(),
      page: thisPage,
    })
    if (!success && !warned) {
      warned = true
      document.actions.notify('This browser cannot store drafts. Save often.', 'danger')
    }
  }
  const stop = document.subscribe((state, old) => {
    if (state.text === old.text && state.nodes === old.nodes && state.saved === old.saved) return
    timer ??= setTimeout(keep, DRAFT_AFTER_MS)
  })

  /** Another tab has stored or deleted the draft. */
  const onStorage = (event: StorageEvent): void => {
    if (event.key !== draftKey(project.id)) return
    const draft = unseenDraft(session, parseDraft(event.newValue))
    if (draft && draft.page === session.seen.quiet && !isDirty(document.getState())) return
    if (draft) return view.setState({ otherTab: { kind: 'draft', draft } })
    view.setState({ otherTab: null })
    if (event.newValue !== null) return
    if (isDirty(document.getState())) timer ??= setTimeout(keep, DRAFT_AFTER_MS)
    else void checkForNewVersion(session)
  }
  const leave = (): void => {
    if (timer !== undefined) keep()
  }
  const warn = (event: BeforeUnloadEvent): void => {
    leave()
    // The stored draft is another tab's, so the changes of this tab are not stored.
    if (view.getState().otherTab?.kind === 'draft' && isDirty(document.getState())) event.preventDefault()
  }
  window.addEventListener('storage', onStorage)
  window.addEventListener('pagehide', leave)
  window.addEventListener('beforeunload', warn)
  return () => {
    leave()
    stop()
    window.removeEventListener('storage', onStorage)
    window.removeEventListener('pagehide', leave)
    window.removeEventListener('beforeunload', warn)
  }
}

/** Checks whether another tab saved a version. With unsaved changes here, saving reports the conflict instead. */
async function checkForNewVersion({ document, project, view }: Session): Promise<void> {
  try {
    const { headVersion } = await api.getProject(project.id)
    const state = document.getState()
    if (headVersion > state.saved.version && !isDirty(state))
      view.setState({ otherTab: { kind: 'version', number: headVersion } })
  } catch {
    // The service cannot be reached; saving will report that.
  }
}

/** Loads the other tab's changes or version, as one step that can be undone. */
export async function loadOtherTab(session: Session): Promise<void> {
  const { document, project, view, seen } = session
  const { otherTab } = view.getState()
  if (!otherTab) return
  try {
    if (otherTab.kind === 'draft') {
      // The other tab may have stored a newer draft meanwhile.
      const stored = readDraft(project.id)
      const draft = stored && stored.page === otherTab.draft.page ? stored : otherTab.draft
      seen.current = stampOf(draft)
      document.actions.replaceText(draft.text, 'Load from the other tab', draft.nodes)
    } else {
      const version = await api.getVersion(project.id, otherTab.number)
      document.actions.replaceText(version.text, `Load version ${version.number}`, version.layout.nodes)
      document.actions.setSaved({ version: version.number, text: version.text, nodes: version.layout.nodes })
    }
    view.setState({ otherTab: null })
    document.actions.notify('Loaded from the other tab. Undo restores the text of this tab.')
  } catch (error) {
    document.actions.notify(asProblem(error).detail, 'danger')
  }
}

/** Keeps this tab's text and stores it as the draft, of which the other tab is notified. */
export function keepThisTab(session: Session): void {
  const { document, project, view, seen } = session
  const { otherTab } = view.getState()
  view.setState({ otherTab: null })
  if (otherTab?.kind !== 'draft') return
  const stored = readDraft(project.id)
  const state = document.getState()
  if (!isDirty(state)) {
    // This tab has no changes to store. It ignores further drafts of the other tab.
    seen.quiet = otherTab.draft.page
    return
  }
  seen.current = stampOf(stored ?? otherTab.draft)
  storeDraft(project.id, {
    base: state.saved.version,
    text: document.actions.file(),
    nodes: state.nodes,
    at: new Date().toISOString(),
    page: thisPage,
  })
}
