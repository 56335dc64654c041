/** Opens a project on the Workflow screen: its newest version, or a stored draft. */
import { api, isAbort } from '../../api/client.ts'
import { createDocument, isDirty } from './model/document.ts'
import { dropDraft, readDraft, stampOf } from './model/draft.ts'

import { reloadFiles, trackUnsaved } from './save.ts'

import { createView, type Session } from './session.ts'

/** The sessions used last. They keep the undo history when the user returns from another screen. */
const open = new Map<string, Session>()
const MAX_OPEN = 4

/**
 * Opens the session of a project, or returns the one that is open.
 * @throws ApiProblem when the project cannot be loaded; AbortError when `signal` aborts
 */
export async function openSession(id: string, signal: AbortSignal): Promise<Session> {
  const project = await api.getProject(id, signal)
  const known = open.get(id)
  if (known) {
    const { saved } = known.document.getState()
    // Unsaved changes stay, even when a newer version was saved: saving reports the conflict.
    if (saved.version === project.headVersion || isDirty(known.document.getState())) {
      known.project = project
      void loadContext(known)
      return known
    }
  }
  const version = await api.getVersion(id, project.headVersion, signal)
  const saved = { version: version.number, text: version.text, nodes: version.layout.nodes }
  const draft = readDraft(id)
  const document = createDocument(
    draft ? { ...saved, version: draft.base } : saved,
    draft ? { draft: { text: draft.text, nodes: draft.nodes } } : {},
  )
  if (draft && isDirty(document.getState()))
    document.setState({
      recovered: { at: when.format(new Date(draft.at)), behind: draft.base !== saved.version },
    })
  else dropDraft(id)
  const session: Session = {
    project,
    document,
    view: createView(id),
    seen: { current: draft ? stampOf(draft) : '', quiet: '' },
    flow: { current: null },
    whole: { current: null },
    showInText: { current: null },
  }
  open.delete(id)
  open.set(id, session)
  for (const old of open.keys()) if (open.size > MAX_OPEN) open.delete(old)
  trackUnsaved(session)
  void loadContext(session)
  return session
}

const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** Loads what the checks need beside the text: the project's files and the device classes of the fleets. */
async function loadContext(session: Session): Promise<void> {
  try {
    const [fleets] = await Promise.all([api.listProjectFleets(session.project.id), reloadFiles(session)])
    session.view.setState({ fleets })
  } catch (error) {
    if (!isAbort(error))
      session.document.actions.notify(
        'The list of files could not be loaded. Reload the page to try again.',
        'danger',
      )
  }
}
