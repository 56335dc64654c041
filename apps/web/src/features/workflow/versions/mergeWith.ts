/** Merges the document with a version that somebody else has saved meanwhile. */
import { type Merge, type MergeConflict, merge, type Side } from '@hivemind/dsl'
import type { Version } from '../../../api/types.ts'
import { type Document, nothing } from '../model/document.ts'
import { entry, type Nodes, samePlace } from '../model/layout.ts'
import { unified } from '../model/lineEnds.ts'

/** Whose change is kept, by `keyOf` of the conflict; mine where nobody has decided. */
export type Choices = Readonly<Record<string, Side>>

const keyOfSubject = ({ kind, name }: MergeConflict['subject']): string => `${kind} ${name}`
export const keyOf = ({ subject }: MergeConflict): string => keyOfSubject(subject)

/** Both sides' changes since `base` in one text; `null` when one of the texts has syntax errors. */
export const mergedText = (base: string, mine: string, head: Version, choices: Choices): Merge | null =>
  merge({ base, mine, theirs: unified(head.text) }, (subject) => choices[keyOfSubject(subject)] ?? 'mine')

/** Positions, colours and notes as the version has them, but for the tasks that were placed here since. */
export function mergedNodes(base: Nodes, mine: Nodes, theirs: Nodes): Nodes {
  const own = Object.entries(mine).filter(([task, placed]) => !samePlace(entry(base, task), placed))
  return { ...theirs, ...Object.fromEntries(own) }
}

/** Puts a merge on the screen, as one step that can be undone, on top of the version it was merged with. */
export function putOnScreen({ actions, getState }: Document, { text }: Merge, head: Version): void {
  const { nodes, saved } = getState()
  const all = mergedNodes(saved.nodes, nodes, head.layout.nodes)
  actions.replaceText(text, `Merge with version ${head.number}`, all)
  actions.setSaved({ version: head.number, text: head.text, nodes: head.layout.nodes })
  actions.select(nothing)
}

/** `detect: argument limit`, or what happened to a task that one side has removed. */
export function inWords({ subject, what, removedBy }: MergeConflict, theirs: string): string {
  const changed = `${subject.name}: ${what.join(', ')}`
  if (removedBy === undefined) return changed
  return removedBy === 'mine'
    ? `${subject.name}: you removed it, ${theirs} changed ${what.join(', ')}`
    : `${subject.name}: ${theirs} removed it, you changed ${what.join(', ')}`
}
