/** Drafts of a session, and what another tab does to the same project: nothing of either is lost without a word. */
import { api } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { isDirty } from './model/document.ts'
import {
  type Draft,
  draftKey,
  dropDraft,
  isOfAnother,
  keepDraft,
  parseDraft,
  readDraft,
  stampOf,
} from './model/draft.ts'
import type { Session } from './session.ts'

/** Tells this page from other tabs of this browser. */
export const thisPage: string = crypto.getRandomValues(new Uint32Array(3)).join('-')

const DRAFT_AFTER_MS = 400

/** The stored draft, if it is another tab's work that this one has not seen. */
function another(session: Session, stored: Draft | null): Draft | null {
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

/** Drops the draft, unless it is the work of another tab. */
export function dropOwnDraft(session: Session): void {
  if (!another(session, readDraft(session.project.id))) dropDraft(session.project.id)
}

/** Keeps what is not saved in the browser's storage, and watches what other tabs keep there, until the returned function is called. */
export function keepDrafts(session: Session): () => void {
  const { document, project, view } = session
  let timer: ReturnType<typeof setTimeout> | undefined
  let told = false

  const keep = (): void => {
    clearTimeout(timer)
    timer = undefined
    const state = document.getState()
    const stored = readDraft(project.id)
    if (!isDirty(state)) return dropOwnDraft(session)
    const draft = another(session, stored)
    // It would be lost: the person decides.
    if (draft) return view.setState({ elsewhere: { kind: 'draft', draft } })
    const kept = keepDraft(project.id, {
      base: state.saved.version,
      text: document.actions.file(),
      nodes: state.nodes,
      at: new Date().toISOString(),
      page: thisPage,
    })
    if (!kept && !told) {
      told = true
      document.actions.notify('This browser does not keep drafts: save often.', 'danger')
    }
  }
  const stop = document.subscribe((state, old) => {
    if (state.text === old.text && state.nodes === old.nodes && state.saved === old.saved) return
    timer ??= setTimeout(keep, DRAFT_AFTER_MS)
  })

  /** Another tab has kept, saved or given up its changes. */
  const heard = (event: StorageEvent): void => {
    if (event.key !== draftKey(project.id)) return
    const draft = another(session, parseDraft(event.newValue))
    if (draft && draft.page === session.seen.quiet && !isDirty(document.getState())) return
    if (draft) return view.setState({ elsewhere: { kind: 'draft', draft } })
    view.setState({ elsewhere: null })
    if (event.newValue !== null) return
    if (isDirty(document.getState())) timer ??= setTimeout(keep, DRAFT_AFTER_MS)
    else void lookForVersion(session)
  }
  const leave = (): void => {
    if (timer !== undefined) keep()
  }
  const warn = (event: BeforeUnloadEvent): void => {
    leave()
    // Another tab's draft has the place: what is here is kept nowhere.
    if (view.getState().elsewhere?.kind === 'draft' && isDirty(document.getState())) event.preventDefault()
  }
  window.addEventListener('storage', heard)
  window.addEventListener('pagehide', leave)
  window.addEventListener('beforeunload', warn)
  return () => {
    leave()
    stop()
    window.removeEventListener('storage', heard)
    window.removeEventListener('pagehide', leave)
    window.removeEventListener('beforeunload', warn)
  }
}

/** Another tab may have saved; with changes of one's own, saving will say so. */
async function lookForVersion({ document, project, view }: Session): Promise<void> {
  try {
    const { headVersion } = await api.getProject(project.id)
    const state = document.getState()
    if (headVersion > state.saved.version && !isDirty(state))
      view.setState({ elsewhere: { kind: 'version', number: headVersion } })
  } catch {
    // Saving will say that the service is gone.
  }
}

/** Takes what the other tab has, as one step that can be undone. */
export async function loadElsewhere(session: Session): Promise<void> {
  const { document, project, view, seen } = session
  const { elsewhere } = view.getState()
  if (!elsewhere) return
  try {
    if (elsewhere.kind === 'draft') {
      // The newest state of it, if it went on meanwhile.
      const stored = readDraft(project.id)
      const draft = stored && stored.page === elsewhere.draft.page ? stored : elsewhere.draft
      seen.current = stampOf(draft)
      document.actions.replaceText(draft.text, 'Load from the other tab', draft.nodes)
    } else {
      const version = await api.getVersion(project.id, elsewhere.number)
      document.actions.replaceText(version.text, `Load version ${version.number}`, version.layout.nodes)
      document.actions.setSaved({ version: version.number, text: version.text, nodes: version.layout.nodes })
    }
    view.setState({ elsewhere: null })
    document.actions.notify('This tab shows what the other one had. Undo brings your own text back.')
  } catch (error) {
    document.actions.notify(asProblem(error).detail, 'danger')
  }
}

/** Goes on with this tab's text; the other tab is told when this one keeps it. */
export function keepMine(session: Session): void {
  const { document, project, view, seen } = session
  const { elsewhere } = view.getState()
  view.setState({ elsewhere: null })
  if (elsewhere?.kind !== 'draft') return
  const stored = readDraft(project.id)
  const state = document.getState()
  if (!isDirty(state)) {
    // Without changes of its own this tab has nothing to put in its place, and need not hear of it at every word.
    seen.quiet = elsewhere.draft.page
    return
  }
  seen.current = stampOf(stored ?? elsewhere.draft)
  keepDraft(project.id, {
    base: state.saved.version,
    text: document.actions.file(),
    nodes: state.nodes,
    at: new Date().toISOString(),
    page: thisPage,
  })
}
