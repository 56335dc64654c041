import { useMemo } from 'react'
import { groupsOf, MAX_GROUP_NAME } from '../model/groups.ts'
import { entry } from '../model/layout.ts'
import { useDocument, useSession } from '../session.ts'
import { TextField } from './controls.tsx'

/** The group that tasks are in. Another name moves them there; none takes them out. */
export function GroupField({ tasks }: { tasks: readonly string[] }) {
  const { document } = useSession()
  const nodes = useDocument((state) => state.nodes)
  const workflow = useDocument((state) => state.workflow)
  const names = useMemo(
    () => [...groupsOf(nodes, workflow?.tasks.map(({ name }) => name) ?? []).keys()],
    [nodes, workflow],
  )
  const own = new Set(tasks.map((task) => entry(nodes, task)?.group ?? ''))
  const [only = ''] = own
  return (
    <TextField
      label="Group"
      testId="field-group"
      value={own.size === 1 ? only : ''}
      placeholder={own.size === 1 ? 'None' : 'Not the same for all'}
      suggestions={names}
      hint="A frame around its tasks, which can be folded into one card."
      fault={(name) =>
        name.length > MAX_GROUP_NAME
          ? `A group has a name of at most ${MAX_GROUP_NAME} characters.`
          : undefined
      }
      onCommit={(group) => document.actions.decorate(tasks, { group }, group ? 'Group' : 'Ungroup')}
    />
  )
}
