import {
  Download,
  FileUp,
  History,
  Keyboard,
  Maximize,
  PanelBottom,
  PanelLeft,
  PanelRight,
  Redo2,
  SquareTerminal,
  Undo2,
  WandSparkles,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../../ui/IconButton.tsx'
import { commands, importFile, keyLabel } from './commands.ts'
import { useDocument, useSession, useView, type ViewState } from './session.ts'

function Act({
  id,
  children,
  disabled,
  pressed,
  label,
  testId,
}: {
  id: string
  children: ReactNode
  disabled?: boolean
  pressed?: boolean
  label?: string
  testId?: string
}) {
  const session = useSession()
  const command = commands.find((one) => one.id === id)
  if (!command) return null
  const [keys] = command.keys ?? []
  return (
    <IconButton
      label={label ?? command.title}
      keys={keys && keyLabel(keys)}
      disabled={disabled}
      aria-pressed={pressed}
      data-testid={testId}
      onClick={() => command.run(session)}
    >
      {children}
    </IconButton>
  )
}

const icon = { className: 'size-4', 'aria-hidden': true } as const
const bar = <span aria-hidden="true" className="mx-1 h-5 w-px bg-line" />

export function Toolbar() {
  const session = useSession()
  const past = useDocument((state) => state.history.past.at(-1)?.label)
  const future = useDocument((state) => state.history.future[0]?.label)
  const tasks = useDocument((state) => state.workflow?.tasks.length ?? 0)
  const tidying = useView((state) => state.tidying)
  const pane = (name: 'palette' | 'text' | 'inspector') => (state: ViewState) => state[name]
  const palette = useView(pane('palette'))
  const text = useView(pane('text'))
  const inspector = useView(pane('inspector'))
  return (
    <div
      role="toolbar"
      aria-label="Workflow"
      className="flex min-h-10 shrink-0 flex-wrap items-center gap-0.5 border-b border-line bg-surface px-2"
    >
      <Act id="undo" label={past ? `Undo: ${past}` : 'Undo'} disabled={!past} testId="undo-button">
        <Undo2 {...icon} />
      </Act>
      <Act id="redo" label={future ? `Redo: ${future}` : 'Redo'} disabled={!future} testId="redo-button">
        <Redo2 {...icon} />
      </Act>
      {bar}
      <Act id="arrange" disabled={tasks === 0 || tidying} testId="arrange-button">
        <WandSparkles {...icon} />
      </Act>
      <Act id="fit" disabled={tasks === 0}>
        <Maximize {...icon} />
      </Act>
      {bar}
      <Act id="import">
        <FileUp {...icon} />
      </Act>
      <Act id="export" testId="export-button">
        <Download {...icon} />
      </Act>
      <Act id="versions" testId="versions-button">
        <History {...icon} />
      </Act>
      <input
        type="file"
        accept=".py"
        className="hidden"
        aria-label="Workflow file to import"
        data-testid="import-workflow"
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) void importFile(session, file)
        }}
      />
      <span className="mx-auto" />
      <Act id="commands">
        <SquareTerminal {...icon} />
      </Act>
      <Act id="help">
        <Keyboard {...icon} />
      </Act>
      {bar}
      <Act id="pane-palette" pressed={palette}>
        <PanelLeft {...icon} />
      </Act>
      <Act id="pane-text" pressed={text}>
        <PanelRight {...icon} />
      </Act>
      <Act id="pane-inspector" pressed={inspector}>
        <PanelBottom {...icon} />
      </Act>
    </div>
  )
}
