/** Saves new versions. Versions are never overwritten. */
import { ApiProblem, api, asProblem } from '../../api/client.ts'
import { setUnsaved } from '../../shell/unsaved.ts'
import { dropOwnDraft } from './drafts.ts'
import { isDirty } from './model/document.ts'
import { newFilesOf } from './model/newFiles.ts'
import type { Session } from './session.ts'

/**
 * Saves the document as the version after `base`, which defaults to the version it was opened from. Resolves to true when
 * it was saved. Opens the conflict dialog when another version was saved meanwhile.
 */
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
      fileChanges: [],
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
      document.actions.notify(
        `The workflow was not saved: ${problem.detail} Your changes are kept in this browser.`,
        'danger',
      )
    }
    return false
  }
}

/** Whether the next version would differ from the newest: in the text, the canvas or a file. */
export const hasUnsaved = ({ document, view }: Session): boolean =>
  isDirty(document.getState()) || view.getState().fileChanges.length > 0

/** Asks for the files and for what of them no version has. */
export async function reloadFiles({ project, view }: Session): Promise<void> {
  const [files, { files: fileChanges }] = await Promise.all([
    api.listFiles(project.id),
    api.unsavedFiles(project.id),
  ])
  view.setState({ files, fileChanges })
}

/**
 * Creates every missing code file from its template. A file that somebody created meanwhile stays as it is. Reports how many
 * were created, or why one was not.
 */
export async function createFiles(session: Session): Promise<void> {
  const { document, project, view } = session
  document.actions.flush()
  const files = newFilesOf(document.getState().workflow, view.getState().files)
  let created = 0
  try {
    for (const { path, text } of files) {
      try {
        await api.putFile(project.id, path, text, 'none')
        created++
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.status !== 409) throw error
      }
    }
    document.actions.notify(
      created === 0
        ? 'No file is missing.'
        : `${created} ${created === 1 ? 'file' : 'files'} created from templates.`,
    )
  } catch (error) {
    document.actions.notify(`Not all files were created: ${asProblem(error).detail}`, 'danger')
  }
  await reloadFiles(session).catch((error) => document.actions.notify(asProblem(error).detail, 'danger'))
}

/** Replaces the recovered draft by the newest version, as one step that can be undone. */
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

/** Registers unsaved changes for the other screens. The registration outlives this screen. */
export function trackUnsaved(session: Session): void {
  let registered = false
  const update = (): void => {
    const dirty = hasUnsaved(session)
    if (dirty === registered) return
    registered = dirty
    setUnsaved(session.project.id, dirty ? { save: () => save(session) } : null)
  }
  update()
  session.document.subscribe(update)
  session.view.subscribe(update)
}
