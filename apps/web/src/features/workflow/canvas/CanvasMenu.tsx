import { ContextMenu } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { commands, keyLabel } from '../commands.ts'
import { groupsOf } from '../model/groups.ts'
import { type Session, useDocument, useSession } from '../session.ts'
import { groupOfId } from './groupNodes.ts'

/** What was pressed: its menu differs. */
type Target = 'task' | 'tasks' | 'edge' | 'canvas'

/** The commands of each menu by their ids, in groups. */
const menus: Record<Target, readonly (readonly string[])[]> = {
  task: [
    ['code', 'to-text'],
    ['group', 'ungroup', 'fold'],
    ['copy', 'duplicate', 'delete'],
  ],
  tasks: [
    [
      'arrange-selected',
      'align-left',
      'align-centre',
      'align-right',
      'align-top',
      'align-middle',
      'align-bottom',
    ],
    ['distribute-x', 'distribute-y'],
    ['group', 'ungroup', 'fold'],
    ['copy', 'duplicate', 'delete'],
  ],
  edge: [['delete']],
  canvas: [
    ['add-sensor', 'add-compute-js', 'add-compute-py', 'add-actuator'],
    ['paste', 'select-all'],
    ['arrange', 'fit', 'find'],
  ],
}

const item =
  'flex cursor-pointer items-center justify-between gap-6 rounded px-2 py-1 text-sm outline-none data-highlighted:bg-accent-soft data-highlighted:text-accent-strong'

/** The tasks of a node: itself, or those of a group. */
function tasksOf({ document }: Session, id: string): readonly string[] {
  const group = groupOfId(id)
  const { nodes, workflow } = document.getState()
  if (group === undefined) return [id]
  return groupsOf(nodes, workflow?.tasks.map(({ name }) => name) ?? []).get(group) ?? []
}

/** The menu of the right mouse button, and of the menu key, on the canvas: for what is under it. */
export function CanvasMenu({ children }: { children: ReactNode }) {
  const session = useSession()
  const selected = useDocument((state) => state.selection.tasks.length)
  const [pressed, setPressed] = useState<'task' | 'edge' | 'canvas'>('canvas')
  const target: Target = pressed === 'task' && selected > 1 ? 'tasks' : pressed
  /** Selects what is under the pointer, unless it is selected with others. */
  const choose = (element: EventTarget): void => {
    const { actions, getState } = session.document
    const { selection } = getState()
    const task =
      element instanceof Element ? element.closest('.react-flow__node')?.getAttribute('data-id') : null
    const edge =
      element instanceof Element ? element.closest('.react-flow__edge')?.getAttribute('data-id') : null
    setPressed(task ? 'task' : edge ? 'edge' : 'canvas')
    const tasks = task ? tasksOf(session, task) : []
    if (!tasks.every((one) => selection.tasks.includes(one))) actions.select({ tasks, edges: [] })
    else if (edge && !selection.edges.includes(edge)) actions.select({ tasks: [], edges: [edge] })
  }
  return (
    <ContextMenu.Root modal={false}>
      <ContextMenu.Trigger asChild onContextMenu={({ target }) => choose(target)}>
        {children}
      </ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Content
          loop
          data-testid="canvas-menu"
          className="z-50 min-w-48 rounded-md border border-line bg-raised p-1 text-ink shadow-lg"
        >
          {menus[target].map((group, at) => (
            <ContextMenu.Group key={group.join()} className={at > 0 ? 'mt-1 border-t border-line pt-1' : ''}>
              {group.map((id) => {
                const command = commands.find((one) => one.id === id)
                return (
                  command && (
                    <ContextMenu.Item
                      key={id}
                      data-testid={`menu-${id}`}
                      className={item}
                      // after the menu has given the focus back
                      onSelect={() => setTimeout(() => command.run(session))}
                    >
                      {command.title}
                      {command.keys?.[0] && (
                        <kbd className="font-sans text-xs text-muted">{keyLabel(command.keys[0])}</kbd>
                      )}
                    </ContextMenu.Item>
                  )
                )
              })}
            </ContextMenu.Group>
          ))}
        </ContextMenu.Content>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  )
}
