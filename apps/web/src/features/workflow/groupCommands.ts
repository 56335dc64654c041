/** Commands for groups of tasks. Which are folded is kept in the browser, for each project. */
import type { Command } from './command.ts'
import { freeGroupName, groupsOf } from './model/groups.ts'
import { entry } from './model/layout.ts'
import { allGroups, foldGroups, type Session } from './session.ts'

function group(session: Session): void {
  const { actions, getState } = session.document
  actions.flush()
  const { selection, nodes, workflow } = getState()
  const names = workflow?.tasks.map(({ name }) => name) ?? []
  if (selection.tasks.length === 0)
    actions.notify('Select the tasks of the group first: drag with Shift, or click with Ctrl.')
  else actions.decorate(selection.tasks, { group: freeGroupName(groupsOf(nodes, names)) }, 'Group')
}

function ungroup({ document: { actions, getState } }: Session): void {
  const { selection, nodes } = getState()
  const grouped = selection.tasks.filter((task) => entry(nodes, task)?.group)
  if (grouped.length === 0) actions.notify('None of the selected tasks is in a group.')
  else actions.decorate(grouped, { group: '' }, 'Ungroup')
}

/** Folds the groups of the selected tasks, or unfolds them when all of them are folded. */
function toggleFold(session: Session): void {
  const { selection, nodes } = session.document.getState()
  const names = [...new Set(selection.tasks.flatMap((task) => entry(nodes, task)?.group ?? []))]
  const { folded } = session.view.getState()
  if (names.length === 0)
    session.document.actions.notify('Select a task of a group to fold the group, or fold all groups.')
  else foldGroups(session, names, !names.every((name) => folded.has(name)))
}

/** The commands of groups. */
export const groupCommands: readonly Command[] = [
  { id: 'group', title: 'Group the selected tasks', group: 'Arrange', keys: ['Mod+G'], run: group },
  {
    id: 'ungroup',
    title: 'Take the selected tasks out of their group',
    group: 'Arrange',
    keys: ['Mod+Shift+G'],
    run: ungroup,
  },
  { id: 'fold', title: 'Fold or unfold the group', group: 'View', keys: ['G'], run: toggleFold },
  {
    id: 'fold-all',
    title: 'Fold all groups',
    group: 'View',
    run: (session) => foldGroups(session, allGroups(session), true),
  },
  {
    id: 'unfold-all',
    title: 'Unfold all groups',
    group: 'View',
    run: (session) => foldGroups(session, allGroups(session), false),
  },
]
