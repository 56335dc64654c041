import type { DirectiveEdit } from '@hivemind/dsl'
import { boundsFault, parseQuantity, placeText, roleOf, type Task } from '@hivemind/workflow'
import { useMemo } from 'react'
import { useSession, useView } from '../session.ts'
import { CheckField, SelectField, TextField } from './controls.tsx'
import { deviceGroups, learns, restores, tiersFor } from './directiveOptions.ts'

const syncs = [
  ['', 'None'],
  ['all', 'All: every instance'],
  ['any', 'Any: the first one'],
  ['count', 'A count'],
] as const

const misses = [
  ['', 'Finish and count it as missed'],
  ['drop', 'Drop it, if not started'],
] as const

/** A sentence that says why a text is no valid deadline; `undefined` when it is one. */
function deadlineFault(text: string): string | undefined {
  if (text === '') return undefined
  const quantity = parseQuantity(text, ['time'])
  if (!quantity) return 'A time with its unit: us, ms, s, min or h.'
  return boundsFault('deadline', quantity) ?? undefined
}

/** The management directives of a task (paper, Listing 2) and its barrier. */
export function DirectiveFields({ task }: { task: Task }) {
  const { document } = useSession()
  const fleets = useView((state) => state.fleets)
  const { synchronize, schedule, isolate, place, restore, learn, persist } = task.directives
  type Change = DirectiveEdit extends infer E
    ? E extends DirectiveEdit
      ? Omit<E, 'kind' | 'task'>
      : never
    : never
  const set = (change: Change): void => {
    document.actions.edit({ kind: 'setDirective', task: task.name, ...change } as DirectiveEdit, {
      label: `Change ${change.directive}`,
    })
  }
  const fixed = roleOf(task) !== 'compute'
  const tiers = tiersFor(fixed)
  const devices = useMemo(() => deviceGroups(fleets, fixed), [fleets, fixed])
  type Schedule = NonNullable<Extract<DirectiveEdit, { directive: 'schedule' }>['value']>
  /** Sets the fields of the Schedule; an undefined one is removed. */
  const setSchedule = (change: Schedule): void => {
    const { priority, deadline, onMiss } = {
      priority: schedule?.priority,
      deadline: schedule?.deadline?.text,
      onMiss: schedule?.onMiss,
      ...change,
    }
    const value: Schedule = {
      ...(priority === undefined ? {} : { priority }),
      ...(deadline === undefined ? {} : { deadline }),
      // Without a deadline there is none to miss.
      ...(onMiss === undefined || deadline === undefined ? {} : { onMiss }),
    }
    set({ directive: 'schedule', value: Object.keys(value).length > 0 ? value : null })
  }

  return (
    <>
      <div className="grid grid-cols-2 gap-2.5">
        <SelectField
          label="Place"
          term="pin"
          testId="field-place"
          value={place ? placeText(place) : ''}
          options={tiers}
          groups={devices}
          onChange={(value) => set({ directive: 'place', value: value === '' ? null : value })}
        />
        <SelectField
          label="On failure (Restore)"
          value={restore ?? ''}
          options={restores}
          onChange={(value) =>
            set({ directive: 'restore', value: value === '' ? null : (value as typeof restore & string) })
          }
        />
        <SelectField
          label="Barrier (Synchronize)"
          term="barrier"
          value={synchronize?.kind ?? ''}
          options={syncs}
          onChange={(value) =>
            set({
              directive: 'synchronize',
              value:
                value === ''
                  ? null
                  : value === 'count'
                    ? { kind: 'count', count: 2 }
                    : { kind: value as 'all' | 'any' },
            })
          }
        />
        {synchronize?.kind === 'count' && (
          <TextField
            label="Instances to wait for"
            value={String(synchronize.count)}
            fault={(text) => (/^[1-9]\d{0,5}$/.test(text) ? undefined : 'A whole number from 1.')}
            onCommit={(text) =>
              set({ directive: 'synchronize', value: { kind: 'count', count: Number(text) } })
            }
          />
        )}
        <SelectField
          label="Learn"
          value={learn ?? ''}
          options={learns}
          onChange={(value) =>
            set({ directive: 'learn', value: value === '' ? null : (value as typeof learn & string) })
          }
        />
        <TextField
          label="Priority (Schedule)"
          value={schedule?.priority === undefined ? '' : String(schedule.priority)}
          placeholder="None"
          fault={(text) => (text === '' || /^-?\d{1,6}$/.test(text) ? undefined : 'A whole number.')}
          onCommit={(text) => setSchedule({ priority: text === '' ? undefined : Number(text) })}
        />
        <TextField
          label="Deadline (Schedule)"
          testId="field-deadline"
          value={schedule?.deadline?.text ?? ''}
          placeholder="None, or 250ms"
          fault={deadlineFault}
          onCommit={(text) => setSchedule({ deadline: text === '' ? undefined : text })}
        />
        {(schedule?.deadline || schedule?.onMiss) && (
          <SelectField
            label="Work that misses it (onMiss)"
            testId="field-on-miss"
            value={schedule.onMiss ?? ''}
            options={misses}
            onChange={(value) => setSchedule({ onMiss: value === '' ? undefined : 'drop' })}
          />
        )}
        <TextField
          label="State between items"
          testId="field-state"
          value={typeof task.args.state === 'string' ? task.args.state : ''}
          placeholder="None, device, or a field"
          suggestions={['device']}
          onCommit={(text) =>
            document.actions.edit(
              { kind: 'setArg', task: task.name, arg: 'state', value: text === '' ? null : text },
              { label: 'Change the state' },
            )
          }
        />
      </div>
      <div className="flex flex-wrap gap-x-5 gap-y-1.5">
        <CheckField
          label="Isolate"
          hint="Give it a process and a core that it shares with nobody"
          checked={isolate ?? false}
          onChange={(on) => set({ directive: 'isolate', value: on ? true : null })}
        />
        <CheckField
          label="Persist its output"
          hint="Keep the output after the run, in a persistent object pool"
          checked={persist ?? false}
          onChange={(on) => set({ directive: 'persist', value: on ? true : null })}
        />
      </div>
    </>
  )
}
