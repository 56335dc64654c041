import { DropdownMenu } from 'radix-ui'
import { NODE_HEIGHT, type Point } from '../model/card.ts'
import { addItemEdits, canFollow, paletteItems } from '../model/palette.ts'
import { useSession } from '../session.ts'

/** Menu at the point where a connection was dropped on the empty canvas: adds a child task there. */
export function QuickAdd({ from, screen, onClose }: { from: string; screen: Point; onClose: () => void }) {
  const { document, flow } = useSession()
  const add = (kind: string): void => {
    const { workflow } = document.getState()
    const item = paletteItems.find((one) => one.kind === kind)
    if (!workflow || !item) return
    const { name, edits } = addItemEdits(item, workflow, from)
    const at = flow.current?.screenToFlowPosition(screen) ?? screen
    document.actions.edit(
      { kind: 'batch', edits },
      {
        label: `Add ${name} after ${from}`,
        place: { [name]: { x: Math.round(at.x), y: Math.round(at.y - NODE_HEIGHT / 2) } },
        select: { tasks: [name], edges: [] },
      },
    )
  }
  return (
    <DropdownMenu.Root open onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger
        aria-label="Add a task here"
        className="fixed size-0"
        style={{ left: screen.x, top: screen.y }}
      />
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          className="z-40 rounded-md border border-line bg-raised p-1 text-sm shadow-lg"
        >
          <DropdownMenu.Label className="px-2 py-1 text-xs text-muted">Add after {from}</DropdownMenu.Label>
          {paletteItems.filter(canFollow).map((item) => (
            <DropdownMenu.Item
              key={item.kind}
              onSelect={() => add(item.kind)}
              className="cursor-pointer rounded px-2 py-1 outline-none data-highlighted:bg-accent-soft data-highlighted:text-accent-strong"
            >
              {item.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
