/** Finds words in everything a workflow is made of. Pure. */
import type { Workflow } from '@hivemind/workflow'

/** A place where what is searched for stands. */
export type Hit = { line: string } & (
  | { kind: 'task'; task: string }
  | { kind: 'note'; task: string }
  | { kind: 'data'; data: string }
  /** `from` and `to` are offsets into the text, `at` is the line, from 1. */
  | { kind: 'text'; from: number; to: number; at: number }
  /** In the code of a task; `at` is the line of its file, from 1. */
  | { kind: 'code'; task: string; path: string; at: number }
)

/** What is searched. */
export interface Searched {
  workflow: Workflow | null
  text: string
  /** By task. */
  notes: Readonly<Record<string, string>>
  /** Code files; each is searched once, also when several tasks have it. */
  files: readonly { task: string; path: string; text: string }[]
}

/** Longest line shown, in characters. */
const MAX_LINE = 120

/** The hits for a query, without regard to case, at most `limit` of each kind; none for an empty query. */
export function findIn({ workflow, text, notes, files }: Searched, query: string, limit = 20): Hit[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return []
  const has = (line: string): boolean => line.toLowerCase().includes(wanted)
  const tasks = workflow?.tasks ?? []
  const named = tasks.filter(({ name }) => has(name))
  const noted = Object.entries(notes).filter(
    ([task, note]) => has(note) && tasks.some(({ name }) => name === task),
  )
  const data = (workflow?.data ?? []).filter(({ name }) => has(name))
  return [
    ...named.slice(0, limit).map(({ name }): Hit => ({ kind: 'task', task: name, line: name })),
    ...noted
      .slice(0, limit)
      .map(([task, note]): Hit => ({ kind: 'note', task, line: shortened(note, wanted) })),
    ...data.slice(0, limit).map(({ name }): Hit => ({ kind: 'data', data: name, line: name })),
    ...linesWith(text, wanted)
      .slice(0, limit)
      .map(({ line, from, at }): Hit => {
        const start = from + line.toLowerCase().indexOf(wanted)
        return { kind: 'text', from: start, to: start + wanted.length, at, line: shortened(line, wanted) }
      }),
    ...files
      .flatMap(({ task, path, text }) =>
        linesWith(text, wanted).map(
          ({ line, at }): Hit => ({ kind: 'code', task, path, at, line: shortened(line, wanted) }),
        ),
      )
      .slice(0, limit),
  ]
}

function linesWith(text: string, wanted: string): { line: string; from: number; at: number }[] {
  const found: { line: string; from: number; at: number }[] = []
  let from = 0
  for (const [index, line] of text.split('\n').entries()) {
    if (line.toLowerCase().includes(wanted)) found.push({ line, from, at: index + 1 })
    from += line.length + 1
  }
  return found
}

/** A line around what was found in it. */
function shortened(line: string, wanted: string): string {
  const text = line.replace(/\s+/g, ' ').trim()
  if (text.length <= MAX_LINE) return text
  const from = Math.max(0, text.toLowerCase().indexOf(wanted) - MAX_LINE / 3)
  return `${from > 0 ? '…' : ''}${text.slice(from, from + MAX_LINE)}${from + MAX_LINE < text.length ? '…' : ''}`
}
