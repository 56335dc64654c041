import { Dialog } from '../../../ui/Dialog.tsx'
import { commands, keyLabel } from '../commands.ts'

const mouse = [
  ['Drag from the palette', 'Add a task where it is dropped'],
  ['Drag from the right dot of a task to another', 'Connect them: parent, child and data'],
  ['… to the empty canvas', 'Add a task there and connect it'],
  ['Shift and drag', 'Select several'],
  ['Double click on a task', 'Edit its code'],
  ['Right button', 'A menu of what can be done there'],
] as const
const keyboard = [
  ['Tab', 'Move between edges and tasks; Enter selects one'],
  ['Arrow keys on a selected task', 'Move it'],
  ['Shift+F10 or the menu key', 'A menu of what can be done there'],
  ['Enter on an item of the palette', 'Add it at a free position'],
  ['Parents and Children in the inspector', 'Connect the selected task'],
  ['Escape, then Tab', 'Leave the text, where Tab indents'],
] as const

function Gestures({ title, list }: { title: string; list: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3 className="mb-1 font-semibold">{title}</h3>
      <dl>
        {list.map(([gesture, effect]) => (
          <div key={gesture} className="py-0.5">
            <dt className="font-medium">{gesture}</dt>
            <dd className="text-muted">{effect}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Keyboard shortcuts and mouse gestures. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const groups = [
    ...Map.groupBy(
      commands.filter((one) => one.keys),
      ({ group }) => group,
    ),
  ]
  return (
    <Dialog title="Keyboard and mouse" onClose={onClose} wide>
      <div className="gap-x-8 text-sm md:columns-2 [&>section]:mb-4 [&>section]:break-inside-avoid">
        {groups.map(([group, list]) => (
          <section key={group}>
            <h3 className="mb-1 font-semibold">{group}</h3>
            <dl>
              {list.map((one) => (
                <div key={one.id} className="flex justify-between gap-4 py-0.5">
                  <dt>{one.title}</dt>
                  <dd className="flex gap-1">
                    {one.keys?.map((keys) => (
                      <kbd
                        key={keys}
                        className="rounded border border-line-strong bg-sunken px-1.5 font-sans text-xs leading-5 whitespace-nowrap"
                      >
                        {keyLabel(keys)}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <Gestures title="On the canvas, by mouse" list={mouse} />
        <Gestures title="On the canvas, by keyboard" list={keyboard} />
      </div>
    </Dialog>
  )
}
