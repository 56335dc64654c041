/** One history over text and layout: reversible diffs in named entries, not snapshots. */
import type { TextChange } from '@hivemind/dsl'
import { applied, inverted } from './changes.ts'
import { changed, type LayoutChange, type Nodes, undone } from './layout.ts'

export interface Step {
  text: TextChange[]
  /** Takes `text` back. */
  textBack: TextChange[]
  layout: LayoutChange[]
  /** Set when the text was taken from another file. */
  source?: { before: string; after: string }
}

export interface Entry {
  /** What it did, for the menu: "Rename the task". */
  label: string
  steps: Step[]
  /** Steps of the same group that follow one another quickly are one entry. */
  group?: string
  /** Milliseconds, of its last step. */
  at: number
}

export interface History {
  past: readonly Entry[]
  future: readonly Entry[]
}

export interface Content {
  text: string
  nodes: Nodes
  /** The file that the text came from: its line ends are the text's. */
  source?: string
}

export const emptyHistory: History = { past: [], future: [] }
const BURST_MS = 800
const MOST_ENTRIES = 1000

/** The step that these changes are, made on this content. */
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

/** Adds a step that was performed. What had been undone is given up. */
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
  return { past: [...history.past.slice(1 - MOST_ENTRIES), entry], future: [] }
}

/** Takes the last entry back; `null` when there is none. */
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
    // A step that follows an undo begins an entry of its own.
    history: {
      past: history.past.slice(0, -1),
      future: [{ ...entry, at: Number.NEGATIVE_INFINITY }, ...history.future],
    },
    content: { text, nodes, ...(source === undefined ? {} : { source }) },
  }
}

/** Performs the entry again that was undone last; `null` when there is none. */
export function redo(history: History, content: Content): { history: History; content: Content } | null {
  const [entry, ...future] = history.future
  if (!entry) return null
  return {
    history: { past: [...history.past, entry], future },
    content: entry.steps.reduce(perform, content),
  }
}
