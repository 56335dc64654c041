import { Command } from 'cmdk'
import { commands, keyLabel } from '../commands.ts'
import { revealTask, useDocument, useSession } from '../session.ts'
import { rank } from './rank.ts'

const itemClass =
  'flex cursor-pointer items-center justify-between gap-4 rounded px-2 py-1.5 text-sm data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent-strong'
const groupClass =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted'

/** Search for commands and tasks. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const session = useSession()
  const tasks = useDocument((state) => state.workflow?.tasks)
  const groups = [...Map.groupBy(commands, ({ group }) => group)]
  const act = (run: () => void): void => {
    onClose()
    // Runs after the dialog has returned the focus.
    setTimeout(run)
  }
  return (
    <Command.Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      label="All commands"
      filter={rank}
      loop
      overlayClassName="fixed inset-0 z-40 bg-black/50"
      contentClassName="fixed top-[14vh] left-1/2 z-50 w-[92vw] max-w-lg -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-xl"
    >
      <Command.Input
        autoFocus
        placeholder="What would you like to do?"
        className="h-11 w-full border-b border-line bg-transparent px-4 text-sm outline-none placeholder:text-muted"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-2">
        <Command.Empty className="p-4 text-center text-sm text-muted">
          No command or task matches.
        </Command.Empty>
        {groups.map(([group, list]) => (
          <Command.Group key={group} heading={group} className={groupClass}>
            {list
              .filter(({ id }) => id !== 'commands')
              .map((one) => (
                <Command.Item
                  key={one.id}
                  value={`${one.group} ${one.title}`}
                  onSelect={() => act(() => one.run(session))}
                  className={itemClass}
                >
                  {one.title}
                  {one.keys?.[0] && (
                    <kbd className="font-sans text-xs text-muted">{keyLabel(one.keys[0])}</kbd>
                  )}
                </Command.Item>
              ))}
          </Command.Group>
        ))}
        {tasks && tasks.length > 0 && (
          <Command.Group heading="Tasks" className={groupClass}>
            {tasks.map(({ name }) => (
              <Command.Item
                key={name}
                value={`go to task ${name}`}
                onSelect={() => act(() => revealTask(session, name))}
                className={itemClass}
              >
                {name}
              </Command.Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command.Dialog>
  )
}
