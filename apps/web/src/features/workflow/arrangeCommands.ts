/** Commands that place tasks on the canvas, or go from one to the next. */
import type { Command } from './command.ts'
import { type Alignment, aligned, type Direction, distributed, nearest, tidied } from './model/arrange.ts'
import { NODE_HEIGHT, type Points } from './model/card.ts'
import { tidy } from './model/elk.ts'
import { groupsOf } from './model/groups.ts'
import { entry } from './model/layout.ts'
import { panToTask, type Session, showAll } from './session.ts'

async function arrangeAll(session: Session): Promise<void> {
  const { document, view } = session
  document.actions.flush()
  const { workflow, nodes } = document.getState()
  if (!workflow || view.getState().tidying) return
  view.setState({ tidying: true })
  const names = workflow.tasks.map(({ name }) => name)
  const { points, isPlain } = await tidy(workflow, groupsOf(nodes, names))
  view.setState({ tidying: false })
  // A task deleted meanwhile needs no position.
  const now = new Set(document.getState().workflow?.tasks.map(({ name }) => name))
  document.actions.move(
    Object.fromEntries(Object.entries(points).filter(([name]) => now.has(name))),
    'Arrange',
  )
  if (isPlain)
    document.actions.notify('The tasks were put into plain layers: the better arrangement took too long.')
  requestAnimationFrame(() => void showAll(session, 200))
}

/** Moves the selected tasks, of which there must be so many. */
function place(
  least: number,
  label: string,
  where: (points: Points, tasks: readonly string[], session: Session) => Points,
) {
  return (session: Session): void => {
    const { document } = session
    document.actions.flush()
    const { points, selection } = document.getState()
    if (selection.tasks.length < least)
      document.actions.notify(
        `Select ${least === 2 ? 'two' : 'three'} or more tasks first: drag with Shift, or click with Ctrl.`,
      )
    else document.actions.move(where(points, selection.tasks, session), label)
  }
}

const align = (to: Alignment, title: string): Command => ({
  id: `align-${to}`,
  title,
  group: 'Arrange',
  run: place(2, title, (points, tasks, { flow }) =>
    aligned(points, tasks, to, (task) => flow.current?.getInternalNode(task)?.measured.height ?? NODE_HEIGHT),
  ),
})

const distribute = (axis: 'x' | 'y', title: string): Command => ({
  id: `distribute-${axis}`,
  title,
  group: 'Arrange',
  run: place(3, title, (points, tasks) => distributed(points, tasks, axis)),
})

const go = (direction: Direction, key: string): Command => ({
  id: `go-${direction}`,
  title:
    direction === 'left' || direction === 'right'
      ? `Task to the ${direction}`
      : `Task ${direction === 'up' ? 'above' : 'below'}`,
  group: 'Go to',
  keys: [`Mod+${key}`],
  run: (session) => {
    const { actions, getState } = session.document
    const { points: all, nodes, selection, workflow } = getState()
    const { folded } = session.view.getState()
    const points = Object.fromEntries(
      Object.entries(all).filter(([task]) => !folded.has(entry(nodes, task)?.group ?? '')),
    )
    const from = selection.tasks.at(-1)
    const to = from === undefined ? workflow?.tasks[0]?.name : nearest(points, from, direction)
    if (to === undefined) return
    actions.select({ tasks: [to], edges: [] })
    panToTask(session, to)
    window.document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(to)}"]`)?.focus()
  },
})

export const arrangeCommands: readonly Command[] = [
  {
    id: 'arrange',
    title: 'Arrange the tasks',
    group: 'Arrange',
    keys: ['L'],
    run: (session) => void arrangeAll(session),
  },
  {
    id: 'arrange-selected',
    title: 'Arrange the selected tasks',
    group: 'Arrange',
    keys: ['Shift+L'],
    run: (session) => {
      const { workflow } = session.document.getState()
      if (workflow)
        place(2, 'Arrange the selection', (points, tasks) => tidied(workflow, points, tasks))(session)
    },
  },
  align('left', 'Align left edges'),
  align('centre', 'Align in a column, by their middles'),
  align('right', 'Align right edges'),
  align('top', 'Align top edges'),
  align('middle', 'Align in a row, by their middles'),
  align('bottom', 'Align bottom edges'),
  distribute('x', 'Distribute from left to right'),
  distribute('y', 'Distribute from top to bottom'),
  go('left', 'ArrowLeft'),
  go('right', 'ArrowRight'),
  go('up', 'ArrowUp'),
  go('down', 'ArrowDown'),
]
