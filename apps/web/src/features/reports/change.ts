/** How tasks and edges of two versions differ, and how that looks. */
export type Change = 'added' | 'removed' | 'changed'

/** A word, a mark and a colour for each change: the mark tells them apart without the colour. */
export const changeLooks: Record<Change, { label: string; mark: string; colour: string; dash?: string }> = {
  added: { label: 'Added', mark: '+', colour: 'var(--color-ok)' },
  removed: { label: 'Removed', mark: '−', colour: 'var(--color-danger)', dash: '6 4' },
  changed: { label: 'Changed', mark: '~', colour: 'var(--color-accent)' },
}
