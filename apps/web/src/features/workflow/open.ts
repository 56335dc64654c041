/** Opening a project on the workflow screen: its newest version, or the draft that was made from one. */
import { api, isAbort } from '../../api/client.ts'
import { createDocument, isDirty } from './model/document.ts'
import { dropDraft, readDraft, stampOf } from './model/draft.ts'
import { tellUnsaved } from './save.ts'
import { createView, type Session } from './session.ts'

/** Sessions of this page, so that going to another screen and back keeps the undo history. */
const open = new Map<string, Session>()
const MOST_OPEN = 4

/** Throws an `ApiProblem` when the project cannot be loaded, the `AbortError` when it is given up. */
export async function openSession(id: string, signal: AbortSignal): Promise<Session> {
  const project = await api.getProject(id, signal)
  const known = open.get(id)
  if (known) {
    const { saved } = known.document.getState()
    // Unsaved work stays, whatever was saved elsewhere; saving it will say so.
    if (saved.version === project.headVersion || isDirty(known.document.getState())) {
      known.project = project
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
    view: createView(),
    seen: { current: draft ? stampOf(draft) : '', quiet: '' },
    flow: { current: null },
    whole: { current: null },
    showInText: { current: null },
  }
  open.delete(id)
  open.set(id, session)
  for (const old of open.keys()) if (open.size > MOST_OPEN) open.delete(old)
  tellUnsaved(session)
  void context(session)
  return session
}

const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** What the checks may know beside the text: the files there are and the device classes of the fleets. */
async function context(session: Session): Promise<void> {
  try {
    const [files, fleets] = await Promise.all([api.listFiles(session.project.id), api.listFleets()])
    session.view.setState({ files, fleets })
  } catch (error) {
    if (!isAbort(error)) session.document.actions.notify('The list of files could not be loaded.', 'danger')
  }
}
