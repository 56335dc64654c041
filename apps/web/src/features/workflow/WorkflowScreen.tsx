import { lazy, Suspense, useEffect } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { useLoad } from '../../api/useLoad.ts'
import { Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Split } from '../../ui/Split.tsx'
import { useFileDrop } from '../../ui/useFileDrop.ts'
import { useMedia } from '../../ui/useMedia.ts'
import { Canvas } from './canvas/Canvas.tsx'
import { Palette } from './canvas/Palette.tsx'
import { commandOf, importFile, paste, removeSelected, selectedText } from './commands.ts'
import { Dialogs } from './dialogs/Dialogs.tsx'
import { keepDrafts } from './drafts.ts'
import { edgeNodeNames } from './inspector/directiveOptions.ts'
import { Inspector } from './inspector/Inspector.tsx'
import { CodeDraftsNote, OtherTabNote, RecoveredNote, StaleNote, Toast } from './Notices.tsx'
import { openSession } from './open.ts'
import { Problems } from './Problems.tsx'
import { SaveControls } from './SaveControls.tsx'
import { type Session, SessionContext, useDocument, useView } from './session.ts'
import { Toolbar } from './Toolbar.tsx'

const TextPane = lazy(() => import('./text/TextPane.tsx'))

/** The Workflow screen: palette, canvas, text and inspector of a project's workflow. */
export default function WorkflowScreen() {
  const { id = '' } = useParams()
  const opened = useLoad((signal) => openSession(id, signal), [id])
  if (opened.problem)
    return (
      <div className="mx-auto max-w-2xl p-6">
        <ProblemNote problem={opened.problem} retry={opened.reload} />
      </div>
    )
  if (!opened.data) return <Waiting what="Loading the workflow" />
  return (
    <SessionContext value={opened.data}>
      <OpenWorkflow key={id} session={opened.data} />
    </SessionContext>
  )
}

function OpenWorkflow({ session }: { session: Session }) {
  const text = useView((state) => state.text)
  const inspector = useView((state) => state.inspector)
  const palette = useView((state) => state.palette)
  const isWide = useMedia('(min-width: 1200px)')
  const isStacked = useMedia('(max-width: 639px)')
  const empty = useDocument((state) => (state.workflow?.tasks.length ?? 0) === 0)
  useKeys(session)
  useCheckContext(session)
  useAddress(session)
  useEffect(() => keepDrafts(session), [session])
  useFileDrop((file) => void importFile(session, file))
  const narrow = !palette || !isWide

  const dock =
    text || inspector ? (
      text ? (
        <div className="absolute inset-0 flex">
          <Split
            id="inspector"
            label="Height of the inspector"
            direction="column"
            initial={Math.round(window.innerHeight * 0.42)}
            min={120}
            minFirst={120}
            first={
              <Suspense fallback={<Waiting what="Loading the text" />}>
                <TextPane />
              </Suspense>
            }
            second={inspector ? <Inspector /> : null}
          />
        </div>
      ) : (
        <Inspector />
      )
    ) : null

  return (
    <div className="flex h-full flex-col">
      <h1 className="sr-only">Workflow {session.project.name}</h1>
      <SaveControls />
      <Toolbar />
      <RecoveredNote />
      <OtherTabNote />
      <CodeDraftsNote />
      <div className="flex min-h-0 flex-1">
        <div className={`shrink-0 border-r border-line ${narrow ? 'w-12' : 'w-52'}`}>
          <Palette narrow={narrow} />
        </div>
        <Split
          key={isStacked ? 'stacked' : 'beside'}
          {...(isStacked
            ? ({
                id: 'text-below',
                label: 'Height of text and inspector',
                direction: 'column',
                initial: Math.round(window.innerHeight * 0.4),
                min: 160,
                minFirst: 200,
              } as const)
            : ({
                id: 'text',
                label: 'Width of text and inspector',
                direction: 'row',
                initial: isWide ? 470 : 376,
                min: 280,
                minFirst: 260,
              } as const))}
          first={
            <div className="absolute inset-0 flex flex-col">
              <div className="relative min-h-0 flex-1">
                <Canvas />
                <StaleNote />
                {empty && (
                  <div className="pointer-events-none absolute inset-0 grid place-items-center">
                    <Nothing title="Add a first task">
                      Drag a task from the palette onto the canvas, write one in the text, or drop a .hive.py
                      file here.
                    </Nothing>
                  </div>
                )}
              </div>
              <Problems />
            </div>
          }
          second={dock}
        />
      </div>
      <Toast />
      <Dialogs />
    </div>
  )
}

/** Opens the code of a task that the address names (`?code=TASK&line=3`), once. */
function useAddress(session: Session): void {
  const [search, setSearch] = useSearchParams()
  const code = search.get('code')
  const line = Number(search.get('line')) || undefined
  useEffect(() => {
    if (code === null) return
    session.view.setState({ dialog: { code, ...(line !== undefined && { line }) } })
    setSearch({}, { replace: true })
  }, [session, code, line, setSearch])
}

/** Gives the checks the project's files and the device classes of the fleets. */
function useCheckContext(session: Session): void {
  const files = useView((state) => state.files)
  const fleets = useView((state) => state.fleets)
  useEffect(() => {
    if (fleets.length === 0 && files.length === 0) return
    const paths = new Set(files.flatMap(({ path }) => withFolders(path)))
    session.document.actions.setContext({
      fileExists: (path) => paths.has(path.replace(/^\.\//, '').replace(/\/+$/, '')),
      ...(fleets.length > 0
        ? {
            deviceClasses: [...new Set(fleets.flatMap(({ classes }) => classes))],
            edgeNodes: edgeNodeNames(fleets),
          }
        : {}),
    })
  }, [session, files, fleets])
}

/** A path and the paths of its parent folders. */
const withFolders = (path: string): string[] =>
  path.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/'))

const inText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, [role="dialog"]') !== null)

/** Handles the keyboard shortcuts of the screen, and copy and paste of tasks. */
function useKeys(session: Session): void {
  useEffect(() => {
    const keydown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return
      const command = commandOf(event)
      if (!command) return
      event.preventDefault()
      command.run(session)
    }
    const clip = (event: ClipboardEvent): void => {
      if (inText(event.target) || !event.clipboardData) return
      // Selected text on the page is copied by the browser.
      if (!window.getSelection()?.isCollapsed) return
      const text = selectedText(session)
      if (!text) return
      event.preventDefault()
      event.clipboardData.setData('text/plain', text)
      if (event.type === 'cut') removeSelected(session)
    }
    const insert = (event: ClipboardEvent): void => {
      if (inText(event.target) || !event.clipboardData) return
      event.preventDefault()
      paste(session, event.clipboardData.getData('text/plain'))
    }
    window.addEventListener('keydown', keydown)
    document.addEventListener('copy', clip)
    document.addEventListener('cut', clip)
    document.addEventListener('paste', insert)
    return () => {
      window.removeEventListener('keydown', keydown)
      document.removeEventListener('copy', clip)
      document.removeEventListener('cut', clip)
      document.removeEventListener('paste', insert)
    }
  }, [session])
}
