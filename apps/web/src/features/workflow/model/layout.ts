/** Layout of the canvas: positions, colours, notes and groups, by task name. */
export interface Placed {
  x: number
  y: number
  colour?: string
  note?: string
  /** Name of the group that the task is in. */
  group?: string
}
export type Nodes = Readonly<Record<string, Placed>>

/** One reversible change of an entry. An absent side means that there is no entry. */
export interface LayoutChange {
  task: string
  before?: Placed
  after?: Placed
}

export function changed(nodes: Nodes, changes: readonly LayoutChange[]): Nodes {
  if (changes.length === 0) return nodes
  const next: Record<string, Placed> = { ...nodes }
  for (const { task, after } of changes)
    if (after) next[task] = after
    else delete next[task]
  return next
}

/** The changes that revert `changed(nodes, changes)`. */
export const undone = (changes: readonly LayoutChange[]): LayoutChange[] =>
  changes.toReversed().map(({ task, before, after }) => ({ task, before: after, after: before }))

export const samePlace = (a: Placed | undefined, b: Placed | undefined): boolean =>
  a === b ||
  (!!a &&
    !!b &&
    a.x === b.x &&
    a.y === b.y &&
    a.colour === b.colour &&
    a.note === b.note &&
    a.group === b.group)

/** What a task has beside its position; an empty text removes it. */
export type Decoration = { [K in 'colour' | 'note' | 'group']?: string }

/** The entry with another colour, note or group. */
export function decorated({ x, y, ...own }: Placed, change: Decoration): Placed {
  const kept = Object.entries({ ...own, ...change }).filter(([, value]) => value)
  return { x, y, ...Object.fromEntries(kept) }
}

/** The change that sets the entry of a task. */
export const put = (nodes: Nodes, task: string, after: Placed): LayoutChange => ({
  task,
  ...(nodes[task] ? { before: nodes[task] } : {}),
  after,
})

/** Reads own properties only, since a task may be named like an inherited one. */
export const entry = (nodes: Nodes, task: string): Placed | undefined =>
  Object.hasOwn(nodes, task) ? nodes[task] : undefined
