/** Saving: a new version made from the one that was opened; nobody's work is overwritten. */
import { ApiProblem, api, asProblem } from '../../api/client.ts'
import { setUnsaved } from '../../shell/unsaved.ts'
import { dropOwnDraft } from './drafts.ts'
import { isDirty } from './model/document.ts'
import type { Session } from './session.ts'

/** Saves as the version after `base`, or after the one that was opened. True when it is saved. */
export async function save(session: Session, base?: number): Promise<boolean> {
  const { document, project, view } = session
  if (view.getState().saving === 'saving') return false
  const nodes = document.actions.layoutToSave()
  const { saved } = document.getState()
  const text = document.actions.file()
  view.setState({ saving: 'saving' })
  try {
    const version = await api.saveVersion(project.id, {
      base: base ?? saved.version,
      text,
      layout: { nodes },
      message: '',
    })
    document.actions.setSaved({ version: version.number, text, nodes })
    document.setState({ recovered: null })
    view.setState({
      saving: 'no',
      dialog: view.getState().dialog === 'conflict' ? null : view.getState().dialog,
    })
    if (!isDirty(document.getState())) dropOwnDraft(session)
    return true
  } catch (error) {
    const problem = asProblem(error)
    if (problem instanceof ApiProblem && problem.status === 409)
      view.setState({ saving: 'no', dialog: 'conflict' })
    else {
      view.setState({ saving: { fault: problem.detail } })
      document.actions.notify(`Not saved: ${problem.detail} Your changes are kept in this browser.`, 'danger')
    }
    return false
  }
}

/** Gives the recovered draft up for the newest version, as one step that can be undone. */
export async function discardDraft({ document, project }: Session): Promise<void> {
  try {
    const { headVersion } = await api.getProject(project.id)
    const version = await api.getVersion(project.id, headVersion)
    document.actions.replaceText(version.text, 'Discard the unsaved changes', version.layout.nodes)
    document.actions.setSaved({ version: version.number, text: version.text, nodes: version.layout.nodes })
    document.setState({ recovered: null })
  } catch (error) {
    document.actions.notify(asProblem(error).detail, 'danger')
  }
}

/** Tells the other screens whether there is anything to save; it stays told when this screen is left. */
export function tellUnsaved(session: Session): void {
  let told = false
  const tell = (): void => {
    const dirty = isDirty(session.document.getState())
    if (dirty === told) return
    told = dirty
    setUnsaved(session.project.id, dirty ? { save: () => save(session) } : null)
  }
  tell()
  session.document.subscribe(tell)
}
