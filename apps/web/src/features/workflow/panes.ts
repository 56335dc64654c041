/** The panes of the Workflow screen: showing them, and moving the focus between them by key. */
import type { Command } from './command.ts'
import type { Session } from './session.ts'

const PANES = ['canvas', 'text', 'inspector'] as const
type Pane = (typeof PANES)[number]

/** Where the focus goes in each pane, the best first. */
const targets: Record<Pane, readonly string[]> = {
  canvas: [
    '[data-testid="canvas"] .react-flow__node.selected',
    '[data-testid="canvas"] .react-flow__node',
    '[data-testid="canvas"] button',
  ],
  text: ['[data-testid="dsl-editor"] .cm-content'],
  inspector: [
    '[data-testid="inspector"] :is(input, select, textarea):enabled',
    '[data-testid="inspector"] summary',
  ],
}
const places: Record<Pane, string> = {
  canvas: '[data-testid="canvas"]',
  text: '[data-testid="dsl-editor"]',
  inspector: '[data-testid="inspector"]',
}

/** Frames for which a pane may still be loading. */
const LOADING_FRAMES = 300

/** Shows a pane and focuses it, once it is there. */
export function goTo(session: Session, pane: Pane): void {
  if (pane !== 'canvas') session.view.setState({ [pane]: true })
  focus(pane, LOADING_FRAMES)
}

function focus(pane: Pane, frames: number): void {
  const element = targets[pane]
    .map((target) => document.querySelector<HTMLElement>(target))
    .find((found) => found !== null)
  if (element) element.focus()
  else if (frames > 0) requestAnimationFrame(() => focus(pane, frames - 1))
}

/** Moves the focus to the next or previous pane of those that are open. */
function step(by: 1 | -1) {
  return (session: Session): void => {
    const open = PANES.filter((pane) => pane === 'canvas' || session.view.getState()[pane])
    const now = open.findIndex((pane) => document.activeElement?.closest(places[pane]))
    const next = now < 0 ? 'canvas' : open[(now + by + open.length) % open.length]
    if (next) goTo(session, next)
  }
}

const toggle = (pane: 'palette' | 'text' | 'inspector' | 'problems') => (session: Session) =>
  session.view.setState((state) => ({ [pane]: !state[pane] }))

/** The commands of the panes. */
export const paneCommands: readonly Command[] = [
  { id: 'pane-palette', title: 'Palette: wide or narrow', group: 'View', run: toggle('palette') },
  { id: 'pane-text', title: 'Text: show or hide', group: 'View', run: toggle('text') },
  { id: 'pane-inspector', title: 'Inspector: show or hide', group: 'View', run: toggle('inspector') },
  { id: 'pane-problems', title: 'Problems: show or hide', group: 'View', run: toggle('problems') },
  {
    id: 'to-text',
    title: 'Go to the text',
    group: 'Go to',
    keys: ['T'],
    run: (session) => goTo(session, 'text'),
  },
  {
    id: 'to-inspector',
    title: 'Go to the inspector',
    group: 'Go to',
    keys: ['I'],
    run: (session) => goTo(session, 'inspector'),
  },
  {
    id: 'next-pane',
    title: 'Go to the next pane: canvas, text, inspector',
    group: 'Go to',
    keys: ['F6'],
    everywhere: true,
    run: step(1),
  },
  {
    id: 'previous-pane',
    title: 'Go to the pane before',
    group: 'Go to',
    keys: ['Shift+F6'],
    everywhere: true,
    run: step(-1),
  },
]
