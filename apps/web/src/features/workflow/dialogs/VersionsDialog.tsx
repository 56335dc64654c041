import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../../api/client.ts'
import type { Version } from '../../../api/types.ts'
import { useAction, useLoad } from '../../../api/useLoad.ts'
import { type Page, usePages } from '../../../api/usePages.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Badge, ProblemNote, Waiting } from '../../../ui/feedback.tsx'
import { InlineSelect } from '../../../ui/fields.tsx'
import { MoreButton } from '../../../ui/MoreButton.tsx'
import { isDirty } from '../model/document.ts'
import { unified } from '../model/lineEnds.ts'
import { reloadFiles } from '../save.ts'
import { useDocument, useSession } from '../session.ts'
import { type ComparedVersion, VersionCanvas } from '../versions/VersionCanvas.tsx'
import { DiffView } from './DiffView.tsx'
import { FileChanges } from './VersionCompare.tsx'

const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
const views = [
  { id: 'text', label: 'Text' },
  { id: 'canvas', label: 'Canvas' },
] as const

/** Compares with the text on the screen instead of with a version. */
const ON_SCREEN = 'screen'

const comparedOf = ({ number, text, layout }: Version): ComparedVersion => ({
  name: `version ${number}`,
  text,
  number,
  layout,
})

/** The older one first; the screen is newer than every version. */
const inOrder = (a: ComparedVersion, b: ComparedVersion) =>
  (a.number ?? Infinity) <= (b.number ?? Infinity) ? { before: a, after: b } : { before: b, after: a }

/** Lists the versions of the project; compares, restores, rolls back and deploys them. */
export default function VersionsDialog({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const { project, document } = session
  const text = useDocument((state) => state.text)
  const base = useDocument((state) => state.saved.version)
  const dirty = useDocument(isDirty)
  const navigate = useNavigate()
  const versions = usePages(
    (page: Page<number>, signal) => api.listVersions(project.id, page, signal),
    ({ number }) => number,
    [project.id],
  )
  const deployments = useLoad((signal) => api.listDeployments(project.id, { limit: 1 }, signal), [project.id])
  const [chosen, setChosen] = useState<number>()
  const [shown, setShown] = useState<(typeof views)[number]['id']>('text')
  const [comparedWith, setComparedWith] = useState(ON_SCREEN)
  const head = versions.data?.[0]?.number
  const number = chosen ?? head
  const version = useLoad(
    (signal) => (number === undefined ? undefined : api.getVersion(project.id, number, signal)),
    [project.id, number],
  )
  const against = comparedWith === ON_SCREEN ? undefined : Number(comparedWith)
  const compared = useLoad(
    (signal) => (against === undefined ? undefined : api.getVersion(project.id, against, signal)),
    [project.id, against],
  )
  const restoreText = (): void => {
    if (!version.data) return
    document.actions.replaceText(
      version.data.text,
      `Bring back version ${version.data.number}`,
      version.data.layout.nodes,
    )
    document.actions.notify(
      `The screen shows the text of version ${version.data.number} again. Save to make it the newest; undo takes it back.`,
    )
    onClose()
  }
  const rollBack = useAction(async () => {
    if (number === undefined || head === undefined) return
    const next = await api.rollBack(project.id, number, head)
    document.actions.replaceText(next.text, `Roll back to version ${number}`, next.layout.nodes)
    document.actions.setSaved({ version: next.number, text: next.text, nodes: next.layout.nodes })
    await reloadFiles(session)
    document.actions.notify(`Version ${next.number} has the text and the files of version ${number}.`)
    onClose()
  })
  const nodes = useDocument((state) => state.nodes)
  const pair =
    version.data &&
    inOrder(
      comparedOf(version.data),
      compared.data
        ? comparedOf(compared.data)
        : { name: 'the screen now', text, number: undefined, layout: { nodes } },
    )
  // Placements are chosen on the Explore screen; this reuses the one deployed last.
  const last = deployments.data?.[0]
  const deploy = useAction(async () => {
    if (number === undefined || !last) return
    const { canary: _, ...request } = last.request
    const next = await api.createDeployment(project.id, { ...request, version: number })
    await navigate(`/projects/${project.id}/run?deployment=${next.id}`)
  })
  return (
    <Dialog title="Versions" onClose={onClose} wide>
      <ProblemNote problem={versions.problem} retry={versions.reload} />
      {versions.loading && !versions.data && <Waiting what="Loading the versions …" />}
      {versions.data && (
        <div className="flex min-h-0 flex-col gap-3 md:flex-row">
          <ul
            aria-label="Versions, newest first"
            className="max-h-[56vh] w-full shrink-0 overflow-y-auto md:w-60"
          >
            {versions.data.map((one) => (
              <li key={one.number}>
                <button
                  type="button"
                  aria-pressed={one.number === number}
                  onClick={() => setChosen(one.number)}
                  className="flex w-full flex-col rounded-md px-2 py-1.5 text-left text-sm hover:bg-sunken aria-pressed:bg-accent-soft"
                >
                  <span className="flex items-center gap-1.5 font-medium whitespace-nowrap">
                    Version {one.number}
                    {one.number === base && <Badge tone="accent">opened</Badge>}
                    {one.errors > 0 && (
                      <Badge tone="danger">{one.errors === 1 ? '1 error' : `${one.errors} errors`}</Badge>
                    )}
                  </span>
                  <span className="text-xs text-muted">
                    {when.format(new Date(one.createdAt))}, {one.tasks} tasks
                    {one.author ? `, by ${one.author}` : ''}
                  </span>
                  {one.message && <span className="text-xs">{one.message}</span>}
                  {one.filesFrom === 'adopted' && (
                    <span className="text-xs text-muted">
                      Saved before files were kept; it has those of a later day.
                    </span>
                  )}
                </button>
              </li>
            ))}
            {versions.more && (
              <li className="flex justify-center py-2">
                <MoreButton pages={versions} what="versions" />
              </li>
            )}
          </ul>
          <div className="flex min-w-0 flex-1 flex-col gap-3">
            <ProblemNote
              problem={version.problem ?? compared.problem ?? rollBack.problem ?? deploy.problem}
              retry={version.problem ? version.reload : undefined}
            />
            {version.data ? (
              <>
                <InlineSelect
                  label="Compare with"
                  className="w-auto!"
                  value={comparedWith}
                  options={[
                    { value: ON_SCREEN, label: 'the screen now' },
                    ...versions.data
                      .filter((one) => one.number !== number)
                      .map((one) => ({ value: String(one.number), label: `version ${one.number}` })),
                  ]}
                  onChange={setComparedWith}
                />
                <div role="tablist" aria-label="How to compare" className="flex gap-1">
                  {views.map(({ id, label }) => (
                    <button
                      key={id}
                      type="button"
                      role="tab"
                      id={`versions-${id}`}
                      aria-selected={shown === id}
                      aria-controls="versions-view"
                      tabIndex={shown === id ? 0 : -1}
                      className="rounded-md px-3 py-1 text-sm font-medium hover:bg-sunken aria-selected:bg-accent-soft aria-selected:text-accent-strong"
                      onClick={() => setShown(id)}
                      onKeyDown={(event) => {
                        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
                        const other = shown === 'text' ? 'canvas' : 'text'
                        setShown(other)
                        event.currentTarget.parentElement
                          ?.querySelector<HTMLElement>(`#versions-${other}`)
                          ?.focus()
                      }}
                    >
                      {label}
                    </button>
                  ))}
                </div>
                <div role="tabpanel" id="versions-view" aria-labelledby={`versions-${shown}`}>
                  {shown === 'canvas' && pair ? (
                    <VersionCanvas project={project.id} {...pair} />
                  ) : (
                    <DiffView
                      left={unified(version.data.text)}
                      right={compared.data ? unified(compared.data.text) : text}
                      leftName={`Version ${version.data.number}`}
                      rightName={compared.data ? `Version ${compared.data.number}` : 'On the screen now'}
                    />
                  )}
                </div>
                <FileChanges
                  key={`${version.data.number} ${comparedWith}`}
                  project={project.id}
                  from={against ?? version.data.number - 1}
                  version={version.data.number}
                />
                <div className="flex flex-wrap justify-end gap-2">
                  <Button onClick={onClose}>Close</Button>
                  <Button
                    data-testid="deploy-version"
                    busy={deploy.busy}
                    disabled={!last}
                    title={
                      last
                        ? 'Deploys its text and its files with the placement that was deployed last'
                        : 'Deploy a candidate of the Explore screen first: its placement is then used again'
                    }
                    onClick={() => void deploy.run()}
                  >
                    Deploy this version
                  </Button>
                  <Button onClick={restoreText} title="Puts its text on the screen, to be edited and saved">
                    Bring its text back
                  </Button>
                  <Button
                    look="primary"
                    data-testid="roll-back"
                    busy={rollBack.busy}
                    disabled={dirty || number === head}
                    title={
                      dirty
                        ? 'Save or undo the changes on the screen first'
                        : number === head
                          ? 'This is the newest version'
                          : 'Makes a new version with its text and files; changed files are saved first'
                    }
                    onClick={() => void rollBack.run()}
                  >
                    Roll back to this version
                  </Button>
                </div>
              </>
            ) : (
              version.loading && <Waiting what="Loading the version …" />
            )}
          </div>
        </div>
      )}
    </Dialog>
  )
}
