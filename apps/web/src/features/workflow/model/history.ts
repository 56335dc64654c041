/** Undo history of text and layout, as named entries of reversible changes. */
import type { TextChange } from '@hivemind/dsl'
import { applied, inverted } from './changes.ts'
import { changed, type LayoutChange, type Nodes, undone } from './layout.ts'

export interface Step {
  text: TextChange[]
  /** Reverts `text`. */
  textBack: TextChange[]
  layout: LayoutChange[]
  /** Set when the text was replaced by that of another file. */
  source?: { before: string; after: string }
}

export interface Entry {
  /** Name of the change in the menu: "Rename the task". */
  label: string
  steps: Step[]
  /** Consecutive steps of the same group within a short time form one entry. */
  group?: string
  /** Time of its last step, in ms since the epoch. */
  at: number
}

export interface History {
  past: readonly Entry[]
  future: readonly Entry[]
}

export interface Content {
  text: string
  nodes: Nodes
  /** The file that the text came from, with its own line ends. */
  source?: string
}

export const emptyHistory: History = { past: [], future: [] }
const BURST_MS = 800
const MAX_ENTRIES = 1000

/** The step that these changes of this content make. */
export const stepOf = (
  content: Content,
  text: TextChange[],
  layout: LayoutChange[] = [],
  source?: string,
): Step => ({
  text,
  textBack: inverted(content.text, text),
  layout,
  ...(source === undefined ? {} : { source: { before: content.source ?? '', after: source } }),
})

export const perform = (content: Content, step: Step): Content => ({
  ...content,
  ...(step.source ? { source: step.source.after } : {}),
  text: step.text.length ? applied(content.text, step.text) : content.text,
  nodes: changed(content.nodes, step.layout),
})

/** Adds a performed step. Drops the entries that were undone. */
export function record(
  history: History,
  step: Step,
  { label, group, now }: { label: string; group?: string; now: number },
): History {
  const last = history.past.at(-1)
  if (last && group !== undefined && last.group === group && now - last.at < BURST_MS)
    return {
      past: [...history.past.slice(0, -1), { ...last, steps: [...last.steps, step], at: now }],
      future: [],
    }
  const entry: Entry = { label, steps: [step], at: now, ...(group === undefined ? {} : { group }) }
  return { past: [...history.past.slice(1 - MAX_ENTRIES), entry], future: [] }
}

/** Undoes the last entry; `null` when there is none. */
export function undo(history: History, content: Content): { history: History; content: Content } | null {
  const entry = history.past.at(-1)
  if (!entry) return null
  let { text, nodes, source } = content
  for (const step of entry.steps.toReversed()) {
    text = applied(text, step.textBack)
    nodes = changed(nodes, undone(step.layout))
    if (step.source) source = step.source.before
  }
  return {
    // A step after an undo starts a new entry.
    history: {
      past: history.past.slice(0, -1),
      future: [{ ...entry, at: Number.NEGATIVE_INFINITY }, ...history.future],
    },
    content: { text, nodes, ...(source === undefined ? {} : { source }) },
  }
}

/** Redoes the entry that was undone last; `null` when there is none. */
export function redo(history: History, content: Content): { history: History; content: Content } | null {
  const [entry, ...future] = history.future
  if (!entry) return null
  return {
    history: { past: [...history.past, entry], future },
    content: entry.steps.reduce(perform, content),
  }
}
