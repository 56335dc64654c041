import type { DirectiveEdit } from '@hivemind/dsl'
import { placeText, roleOf, type Task } from '@hivemind/workflow'
import { Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { removeSelected } from '../commands.ts'
import { useSession, useView } from '../session.ts'
import { CheckField, SelectField } from './controls.tsx'
import { deviceGroups, learns, restores, tiersFor } from './directiveOptions.ts'
import { GroupField } from './GroupField.tsx'

/** Shown where the tasks differ; it cannot be chosen. */
const MIXED = 'mixed'
const mixed = [MIXED, 'Not the same for all'] as const

/** What all tasks have; `MIXED` when they differ. */
function shared(tasks: readonly Task[], of: (task: Task) => string): string {
  const values = new Set(tasks.map(of))
  const [only = ''] = values
  return values.size > 1 ? MIXED : only
}

/** Directives of several tasks at once; each change is one step of undo. */
export function TasksPanel({ tasks }: { tasks: readonly Task[] }) {
  const session = useSession()
  const fleets = useView((state) => state.fleets)
  const fixed = tasks.some((task) => roleOf(task) !== 'compute')
  const devices = useMemo(() => deviceGroups(fleets, fixed), [fleets, fixed])
  const set = (directive: DirectiveEdit['directive'], value: string | true | null): void => {
    if (value === MIXED) return
    const edits = tasks.map(
      ({ name }) => ({ kind: 'setDirective', task: name, directive, value }) as DirectiveEdit,
    )
    session.document.actions.edit(
      { kind: 'batch', edits },
      {
        label: `Change ${directive} of ${tasks.length} tasks`,
        select: { tasks: tasks.map(({ name }) => name), edges: [] },
      },
    )
  }
  const select = (
    label: string,
    directive: 'place' | 'restore' | 'learn',
    options: readonly (readonly [string, string])[],
    of: (task: Task) => string,
  ) => {
    const value = shared(tasks, of)
    return (
      <SelectField
        label={label}
        testId={`tasks-${directive}`}
        value={value}
        options={value === MIXED ? [mixed, ...options] : options}
        {...(directive === 'place' && { groups: devices })}
        onChange={(next) => set(directive, next === '' ? null : next)}
      />
    )
  }
  const check = (label: string, hint: string, directive: 'isolate' | 'persist') => {
    const count = tasks.filter(({ directives }) => directives[directive]).length
    return (
      <CheckField
        label={count > 0 && count < tasks.length ? `${label} (${count} of ${tasks.length})` : label}
        hint={hint}
        checked={count === tasks.length}
        onChange={(on) => set(directive, on ? true : null)}
      />
    )
  }
  return (
    <div className="flex flex-col gap-3 p-3 text-sm">
      <div className="grid grid-cols-2 gap-2.5">
        {select('Place', 'place', tiersFor(fixed), ({ directives }) =>
          directives.place ? placeText(directives.place) : '',
        )}
        {select('On failure (Restore)', 'restore', restores, ({ directives }) => directives.restore ?? '')}
        {select('Learn', 'learn', learns, ({ directives }) => directives.learn ?? '')}
      </div>
      <div className="flex flex-wrap gap-x-5 gap-y-1.5">
        {check('Isolate', 'Give each a process and a core that it shares with nobody', 'isolate')}
        {check(
          'Persist their outputs',
          'Keep the outputs after the run, in a persistent object pool',
          'persist',
        )}
      </div>
      <GroupField tasks={tasks.map(({ name }) => name)} />
      <p className="text-muted">
        Drag them, copy them (Ctrl+C), duplicate them (Ctrl+D), align them (right button) or delete them
        together.
      </p>
      <Button look="danger" className="self-start" onClick={() => removeSelected(session)}>
        <Trash2 className="size-4" aria-hidden="true" />
        Delete {tasks.length} tasks
      </Button>
    </div>
  )
}
