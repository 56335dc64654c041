/** Commands of the Workflow screen, for keyboard shortcuts, the command palette and the help. */
import { download } from '../reports/download.ts'
import { arrangeCommands } from './arrangeCommands.ts'
import { addItem } from './canvas/Palette.tsx'
import type { Command } from './command.ts'
import { groupCommands } from './groupCommands.ts'
import { GAP_Y, NODE_HEIGHT, type Point, type Points } from './model/card.ts'
import { copied, type Paste, pasted } from './model/clipboard.ts'
import { paletteItems } from './model/palette.ts'
import { layered } from './model/place.ts'
import { goTo, paneCommands } from './panes.ts'
import { createFiles, hasUnsaved, save } from './save.ts'
import { isVisible, type Session, showAll } from './session.ts'

export function removeSelected({ document }: Session): void {
  document.actions.flush()
  const { selection, workflow } = document.getState()
  if (!workflow) return
  const gone = new Set(selection.tasks)
  const edits = [
    ...selection.edges.flatMap((id) => {
      const [from = '', to = ''] = id.split('>')
      return gone.has(from) || gone.has(to) ? [] : [{ kind: 'disconnect' as const, from, to, data: true }]
    }),
    ...selection.tasks.map((task) => ({ kind: 'removeTask' as const, task })),
  ]
  if (edits.length === 0) return
  const [first] = selection.tasks
  document.actions.edit(
    { kind: 'batch', edits },
    { label: selection.tasks.length === 1 ? `Delete ${first}` : 'Delete' },
  )
}

/** The text of the selected tasks for the clipboard; `null` when none is selected. */
export function selectedText({ document }: Session): string | null {
  const { selection, workflow } = document.getState()
  return workflow && selection.tasks.length > 0 ? copied(workflow, selection.tasks) : null
}

/** Positions of pasted tasks: slightly off the originals when all of them are here, else in layers below all tasks. */
function placesFor(pasted: Paste, points: Points): Record<string, Point> {
  const originals = pasted.source.tasks.map(({ name }) => name)
  const name = (original: string): string => pasted.names.get(original) ?? original
  const beside = originals.every((original) => points[original] !== undefined)
  const own: Points = beside ? points : layered(pasted.source)
  const all = Object.values(points)
  const shift = beside
    ? { x: 40, y: 40 }
    : {
        x: all.length > 0 ? Math.min(...all.map(({ x }) => x)) : 0,
        y: all.length > 0 ? Math.max(...all.map(({ y }) => y)) + NODE_HEIGHT + 2 * GAP_Y : 0,
      }
  return Object.fromEntries(
    originals.map((original) => {
      const { x, y } = own[original] ?? { x: 0, y: 0 }
      return [name(original), { x: x + shift.x, y: y + shift.y }]
    }),
  )
}

/** Adds the tasks of a clipboard text. */
export function paste(session: Session, text: string): void {
  const { document } = session
  document.actions.flush()
  const { workflow, points } = document.getState()
  const addition = pasted(text, workflow)
  if (!addition) {
    document.actions.notify('Nothing was pasted: the clipboard contains no tasks.')
    return
  }
  const place = placesFor(addition, points)
  const tasks = Object.keys(place)
  document.actions.edit(
    { kind: 'batch', edits: addition.edits },
    {
      label: tasks.length === 1 ? `Paste ${tasks[0]}` : `Paste ${tasks.length} tasks`,
      place,
      select: { tasks, edges: [] },
    },
  )
  requestAnimationFrame(() => {
    if (!tasks.every((task) => isVisible(session, task))) void showAll(session, 200)
  })
}

/** Replaces the text by that of a file, as one step that can be undone. Refuses traces, which the start page imports. */
export async function importFile({ document }: Session, file: File): Promise<void> {
  if (/\.(json|stg)$/i.test(file.name)) {
    document.actions.notify(
      `${file.name} would become a project of its own: import it on the start page.`,
      'danger',
    )
    return
  }
  document.actions.replaceText(await file.text(), `Import ${file.name}`)
  document.actions.notify(`The workflow was replaced by ${file.name}. Undo restores the previous one.`)
}

export const commands: readonly Command[] = [
  {
    id: 'save',
    title: 'Save as a new version',
    group: 'File',
    keys: ['Mod+S'],
    everywhere: true,
    run: (session) => {
      if (hasUnsaved(session)) void save(session)
      else session.document.actions.notify('There are no unsaved changes.')
    },
  },
  {
    id: 'versions',
    title: 'Versions …',
    group: 'File',
    run: ({ view }) => view.setState({ dialog: 'versions' }),
  },
  {
    id: 'import',
    title: 'Import a .hive.py file …',
    group: 'File',
    run: () => window.document.querySelector<HTMLInputElement>('[data-testid="import-workflow"]')?.click(),
  },
  {
    id: 'export',
    title: 'Export the .hive.py file',
    group: 'File',
    run: ({ document, project }) => download(project.workflowFile, 'text/x-python', document.actions.file()),
  },
  {
    id: 'undo',
    title: 'Undo',
    group: 'Edit',
    keys: ['Mod+Z'],
    run: ({ document }) => document.actions.undo(),
  },
  {
    id: 'redo',
    title: 'Redo',
    group: 'Edit',
    keys: ['Mod+Shift+Z', 'Mod+Y'],
    run: ({ document }) => document.actions.redo(),
  },
  {
    id: 'delete',
    title: 'Delete the selection',
    group: 'Edit',
    keys: ['Delete', 'Backspace'],
    run: removeSelected,
  },
  {
    id: 'select-all',
    title: 'Select all tasks',
    group: 'Edit',
    keys: ['Mod+A'],
    run: ({ document }) =>
      document.actions.select({
        tasks: (document.getState().workflow?.tasks ?? []).map(({ name }) => name),
        edges: [],
      }),
  },
  {
    id: 'copy',
    title: 'Copy the selected tasks',
    group: 'Edit',
    keys: ['Mod+C'],
    keyElsewhere: true,
    run: (session) => {
      const text = selectedText(session)
      if (text) void navigator.clipboard?.writeText(text)
    },
  },
  {
    id: 'paste',
    title: 'Paste tasks',
    group: 'Edit',
    keys: ['Mod+V'],
    keyElsewhere: true,
    run: (session) => {
      navigator.clipboard?.readText().then(
        (text) => paste(session, text),
        () =>
          session.document.actions.notify(
            'The browser does not allow this page to read the clipboard. Press Ctrl+V to paste.',
          ),
      )
    },
  },
  {
    id: 'duplicate',
    title: 'Duplicate the selected tasks',
    group: 'Edit',
    keys: ['Mod+D'],
    run: (session) => {
      const text = selectedText(session)
      if (text) paste(session, text)
    },
  },
  {
    id: 'fix-all',
    title: 'Apply all certain fixes',
    group: 'Edit',
    keys: ['Mod+Shift+.'],
    everywhere: true,
    run: ({ document }) => {
      const taken = document.actions.fixAll()
      document.actions.notify(
        taken === 0
          ? 'No problem has a certain fix.'
          : `${taken} ${taken === 1 ? 'fix' : 'fixes'} applied. Undo reverts them.`,
      )
    },
  },
  {
    id: 'fix',
    title: 'Fix the problem at the text cursor',
    group: 'Edit',
    keys: ['Mod+.'],
    keyElsewhere: true,
    run: (session) => goTo(session, 'text'),
  },
  {
    id: 'code',
    title: "Edit the selected task's code",
    group: 'Edit',
    keys: ['E'],
    run: ({ document, view }) => {
      const [task] = document.getState().selection.tasks
      if (task) view.setState({ dialog: { code: task } })
    },
  },
  {
    id: 'create-files',
    title: 'Create all missing code files',
    group: 'Edit',
    run: (session) => void createFiles(session),
  },
  ...arrangeCommands,
  ...groupCommands,
  {
    id: 'fit',
    title: 'Show the whole workflow',
    group: 'View',
    keys: ['F'],
    run: (session) => void showAll(session, 200),
  },
  {
    id: 'zoom-in',
    title: 'Zoom in',
    group: 'View',
    keys: ['+', '='],
    run: ({ flow }) => void flow.current?.zoomIn({ duration: 120 }),
  },
  {
    id: 'zoom-out',
    title: 'Zoom out',
    group: 'View',
    keys: ['-'],
    run: ({ flow }) => void flow.current?.zoomOut({ duration: 120 }),
  },
  {
    id: 'commands',
    title: 'All commands …',
    group: 'View',
    keys: ['Mod+K'],
    everywhere: true,
    run: ({ view }) => view.setState({ dialog: 'commands' }),
  },
  {
    id: 'find',
    title: 'Find …',
    group: 'Go to',
    keys: ['Mod+F', 'Mod+Shift+F'],
    run: ({ view }) => view.setState({ dialog: 'find' }),
  },
  {
    id: 'help',
    title: 'Keyboard and mouse',
    group: 'View',
    keys: ['?'],
    run: ({ view }) => view.setState({ dialog: 'help' }),
  },
  ...paneCommands,
  ...paletteItems.map((item) => ({
    id: `add-${item.kind}`,
    title: `Add: ${item.label}`,
    group: 'Add' as const,
    run: (session: Session) => addItem(session, item),
  })),
]

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** A key combination as text: `Ctrl+S`, or `⌘S` on a Mac. */
export const keyLabel = (keys: string): string =>
  keys
    .replace('Mod', isMac ? '⌘' : 'Ctrl')
    .replace('Shift', isMac ? '⇧' : 'Shift')
    .replaceAll('+', keys.length > 1 ? (isMac ? '' : '+') : '+')

function matches(event: KeyboardEvent, keys: string): boolean {
  const parts = keys === '+' ? ['+'] : keys.split('+')
  const key = parts.at(-1) ?? ''
  const mod = parts.includes('Mod')
  const shift = parts.includes('Shift')
  if ((event.ctrlKey || event.metaKey) !== mod || event.altKey) return false
  // Whether a character such as '?' needs Shift depends on the keyboard layout.
  const letter = /^[a-z]$/i.test(key)
  if ((letter || key.length > 1 || mod) && event.shiftKey !== shift) return false
  if (mod && shift && key === '.') return event.key === '.' || event.key === '>' || event.key === ':'
  return event.key.toLowerCase() === key.toLowerCase()
}

const typesText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** The command of a key press; `undefined` when there is none, or the focused element handles the key. */
export function commandOf(event: KeyboardEvent): Command | undefined {
  const { target } = event
  const typing = typesText(target)
  const command = commands.find(
    (command) =>
      !command.keyElsewhere &&
      (command.everywhere || !typing) &&
      command.keys?.some((keys) => matches(event, keys)),
  )
  if (!command || !(target instanceof HTMLElement)) return command
  if (target.closest('[role="menu"], [role="dialog"]')) return undefined
  return command
}
